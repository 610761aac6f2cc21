package litmus

import (
	"strings"
	"testing"
)

// TestParseCondition reads conditions over all the names that values of outcomes have.
func TestParseCondition(t *testing.T) {
	for _, c := range []struct{ text, vars string }{
		{`x=1 /\ 1:r0=0`, "x 1:r0"},
		{`exists (x==1 && [y]!=-2)`, "x y"},
		{`P1:r0=0 or 0:r < 3`, "1:r0 0:r"},
		{`take(0)@1:ticket==0`, "take(0)@1:ticket"},
		{`k(3,4)@2.1:r#2 >= 4294967295`, "k(3,4)@2.1:r#2"},
		{`not (main:a#3 == 1) || true`, "main:a#3"},
		{`"0:the sum" == 1 && "not"==2`, "0:the sum not"},
		{`main:1:r0=0`, "main:1:r0"},
		{`x == -9223372036854775808 || x == 18446744073709551615`, "x"},
	} {
		_, vars, err := ParseCondition(c.text)
		if err != nil || strings.Join(vars, " ") != c.vars {
			t.Errorf("%s: %q, %v", c.text, vars, err)
		}
	}
	for _, text := range []string{"", "x", "x==", "take(0)@1==1", `"x`, "x==1 y", "k(a):r==1", "x==99999999999999999999", "x==-9223372036854775809", "x==18446744073709551616"} {
		if c, _, err := ParseCondition(text); err == nil {
			t.Errorf("%q is read as %v", text, c)
		}
	}
}

// What a condition says of an outcome that lacks some of its variables: whatever holds, or does not, for
// all values that they could have.
func TestConditionsOfParts(t *testing.T) {
	outcome := map[string]int64{"a": 1, "least": -1 << 63}
	for text, want := range map[string]string{
		"a==1": "true", "a!=1": "false", "b==0": "unknown", "~b==0": "unknown", "a==1 || b==0": "true", "b==0 || a==1": "true",
		"a==1 && b==0": "unknown", "a==2 && b==0": "false", "b==0 && a==2": "false", "~(a==1 || b==0)": "false", "a==2 || b==0": "unknown", "true": "true",
		"least == -9223372036854775808": "true", "least == -9223372036854775807": "false",
	} {
		c, _, err := ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		holds, known := c.Eval(func(name string) (int64, bool) { v, ok := outcome[name]; return v, ok })
		if got := map[bool]string{true: "true", false: "false"}[holds]; known && got != want || !known && want != "unknown" {
			t.Errorf("%s: %s, known %t; want %s", text, got, known, want)
		}
	}
}

// Numbers of 64 bits are compared as what they are.
func TestTypedConditions(t *testing.T) {
	outcome := map[string]int64{"u": -1, "s": -1}
	for text, want := range map[string]bool{
		"u > 5": true, "s > 5": false, "u < 0": false, "s < 0": true, "u >= 18446744073709551615": true, "~(u <= 18446744073709551614)": true,
		"u == 18446744073709551615": true, "u != 18446744073709551615": false, "u > 5 && s < 5": true, "s < -5 || u < 5": false,
	} {
		c, _, err := ParseCondition(text)
		if err != nil {
			t.Fatal(err)
		}
		c = Typed(c, func(name string) bool { return name == "u" })
		if holds, _ := c.Eval(func(name string) (int64, bool) { return outcome[name], true }); holds != want {
			t.Errorf("%s: %t", text, holds)
		}
		if strings.Contains(text, "1844") && !strings.Contains(c.String(), "1844") {
			t.Errorf("%s is told as %s", text, c)
		}
	}
}
