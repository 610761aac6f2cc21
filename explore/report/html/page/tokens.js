// Source text in colours: Go, OpenCL C and litmus tests are alike enough.

const keywords = new Set(("break case chan const continue default defer do else enum extern fallthrough for func go goto if import " +
  "interface map package range return select sizeof static struct switch type typedef union var volatile while exists forall filter " +
  "kernel __kernel global __global local __local constant __constant private __private generic __generic restrict").split(" "));

const types = /^(?:u?int(?:8|16|32|64)?|u?(?:char|short|long)\d*|uint|float(?:32|64)?|double|half|bool|void|size_t|string|byte|uintptr|atomic_\w+|Atomic\w+)$/;

const token = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`[^`]*`?|\b\d[\w.]*|[A-Za-z_]\w*|[^A-Za-z_\d"'`/]+|\//g;

// tokens divides a line into [class, text] pairs. inside tells whether it begins within a
// comment of several lines.
export function tokens(line, inside) {
  const out = [];
  if (inside) {
    const end = line.indexOf("*/");
    if (end < 0) return [["comment", line]];
    out.push(["comment", line.slice(0, end + 2)]);
    line = line.slice(end + 2);
  }
  for (const [text] of line.matchAll(token)) {
    let kind = "";
    if (text.startsWith("//") || text.startsWith("/*")) kind = "comment";
    else if (/^["'`]/.test(text)) kind = "string";
    else if (/^\d/.test(text)) kind = "number";
    else if (keywords.has(text)) kind = "keyword";
    else if (types.test(text)) kind = "type";
    out.push([kind, text]);
  }
  return out;
}

// comments tells for each line whether it begins within a comment of several lines.
export function comments(lines) {
  let inside = false;
  return lines.map((line) => {
    const was = inside;
    let at = 0;
    for (;;) {
      const found = line.indexOf(inside ? "*/" : "/*", at);
      const alone = inside ? -1 : line.indexOf("//", at);
      if (found < 0 || (alone >= 0 && alone < found)) return was;
      at = found + 2;
      inside = !inside;
    }
  });
}
