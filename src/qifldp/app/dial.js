// A slider over round stops, and a box for any value, kept in step here: the server is told what was chosen, and says what
// is in use. What the user does goes before what the server says: an answer to an earlier choice changes nothing.

const FINE = 1000; // places of the slider between two stops, for values that the box was given
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 3, PageDown: -3 };
const memory = new WeakMap();

const amount = (text) => Number(text.replace(/[,\s]/g, ""));

// Where a value stands among stops: 1.5 is half way, by the ratio, from the second to the third.
function placeOf(value, stops) {
  const above = stops.findIndex((stop) => stop >= value);
  if (above < 0) return stops.length - 1;
  if (above === 0) return 0;
  return above - 1 + Math.log(value / stops[above - 1]) / Math.log(stops[above] / stops[above - 1]);
}

export default function ({ data, parentElement, setStateValue }) {
  const [range, box] = parentElement.querySelectorAll(".dial input");
  if (!memory.has(range)) memory.set(range, { count: data.count, busy: false });
  const mine = memory.get(range);
  const stops = data.stops.map(amount);
  const last = stops.length - 1;

  const label = parentElement.querySelector("label");
  label.textContent = data.label;
  label.htmlFor = range.id = `dial-${data.field}`;
  box.setAttribute("aria-label", `${data.label}, exactly`);
  box.setAttribute("aria-invalid", data.refused);
  box.maxLength = data.longest;
  range.max = last * FINE;
  range.disabled = box.disabled = data.fixed;

  const paint = () => {
    range.style.setProperty("--part", `${last ? (100 * range.value) / range.max : 0}%`);
    range.setAttribute("aria-valuetext", box.value);
  };
  const give = (text) => {
    mine.busy = false;
    mine.count += 1;
    setStateValue("given", { text, count: mine.count });
  };
  const stand = (value) => {
    range.value = Math.round(placeOf(value, stops) * FINE);
    paint();
  };
  const write = () => {
    if (!mine.busy) return;
    if (amount(box.value) > 0) stand(amount(box.value)); // other ways to write a number the server reads
    give(box.value);
  };
  const stop = (index) => {
    const place = Math.min(Math.max(index, 0), last);
    range.value = place * FINE;
    box.value = data.stops[place];
    paint();
  };

  range.oninput = () => {
    mine.busy = true;
    stop(Math.round(range.value / FINE));
  };
  range.onchange = () => give(box.value);
  range.onkeydown = (event) => {
    const steps = STEPS[event.key];
    if (!steps || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const at = range.value / FINE;
    const next = (steps > 0 ? Math.floor(at) : Math.ceil(at)) + steps;
    if (steps > 0 ? at >= last : at <= 0) return;
    stop(next);
    give(box.value);
  };
  box.oninput = () => {
    mine.busy = true;
  };
  box.onchange = write;
  box.onkeydown = (event) => {
    if (event.key === "Enter") write();
  };

  if (mine.busy || data.count < mine.count) return;
  box.value = data.text;
  stand(data.value);
}
