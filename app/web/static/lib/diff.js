// Which words two texts do not share, by their longest common subsequence.
const MOST_CELLS = 9_000_000;
const segmenter = new Intl.Segmenter(undefined, { granularity: "word" });

// Pieces of both texts as [text, differs], or null where they are too long to compare.
export function diff(first, second) {
  const [a, b] = [words(first), words(second)];
  const start = sharedStart(a, b);
  const end = sharedStart(a.slice(start).reverse(), b.slice(start).reverse());
  const [middleA, middleB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (middleA.length * middleB.length > MOST_CELLS) return null;
  const [keptA, keptB] = common(middleA, middleB);
  return [pieces(a, keptA, start, end), pieces(b, keptB, start, end)];
}

// Puts pieces into an element as text, those that differ inside <mark>.
export function render(element, pieces) {
  element.replaceChildren(...pieces.map(([text, differs]) => (differs ? marked(text) : text)));
}

function marked(text) {
  const mark = document.createElement("mark");
  mark.textContent = text;
  return mark;
}

function words(text) {
  return Array.from(segmenter.segment(text), (each) => each.segment);
}

function sharedStart(a, b) {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  return length;
}

// The places in a and in b of their longest common subsequence.
function common(a, b) {
  const table = lengths(a, b);
  const [keptA, keptB] = [new Set(), new Set()];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) {
      keptA.add(i++);
      keptB.add(j++);
    } else if (table[i + 1][j] >= table[i][j + 1]) i += 1;
    else j += 1;
  }
  return [keptA, keptB];
}

// table[i][j]: length of the longest common subsequence of a from i on and b from j on.
function lengths(a, b) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i][j] = a[i] === b[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  return table;
}

function pieces(words, kept, start, end) {
  const found = [];
  words.forEach((word, place) => {
    const inside = place >= start && place < words.length - end;
    const differs = inside && !kept.has(place - start);
    if (found.at(-1)?.[1] === differs) found.at(-1)[0] += word;
    else found.push([word, differs]);
  });
  return found;
}
