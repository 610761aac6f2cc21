import { el, soon } from "./dom.js";

// Scroller shows the part of a long list that is in sight. Rows are of one height, so
// that a hundred thousand of them cost what those in sight do.
export class Scroller {
  constructor(box, draw) {
    this.box = box;
    this.canvas = el("div", { class: "canvas" });
    box.append(this.canvas);
    this.count = 0;
    this.height = 20;
    this.top = 0; // what stands above the rows, and stays
    const redraw = soon(() => draw());
    box.addEventListener("scroll", redraw, { passive: true });
    new ResizeObserver(redraw).observe(box);
  }

  // extent sets how many rows there are, how high, and what stands above.
  extent(count, height, top = 0, width = "100%") {
    this.count = count;
    this.height = height;
    this.top = top;
    this.canvas.style.height = `${top + count * height + 8}px`;
    this.canvas.style.width = width;
  }

  // range returns the rows in sight, and some around them.
  range(around = 8) {
    const first = Math.floor((this.box.scrollTop - this.top) / this.height) - around;
    const rows = Math.ceil(this.box.clientHeight / this.height) + 2 * around;
    return [Math.max(first, 0), Math.min(Math.max(first, 0) + rows, this.count)];
  }

  y(row) {
    return this.top + row * this.height;
  }

  // reveal scrolls so that a row is in sight, and not at its edge.
  reveal(row) {
    const { box } = this;
    const y = this.y(row);
    const edge = Math.min(3 * this.height, box.clientHeight / 4);
    if (y - edge - this.top < box.scrollTop) box.scrollTop = y - edge - this.top;
    else if (y + this.height + edge > box.scrollTop + box.clientHeight) box.scrollTop = y + this.height + edge - box.clientHeight;
  }

  // center scrolls a row to the middle.
  center(row) {
    this.box.scrollTop = this.y(row) - this.box.clientHeight / 2;
  }
}
