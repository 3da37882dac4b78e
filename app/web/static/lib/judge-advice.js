// @ts-check
// How to connect a judge to a set: an address for people, commands for models, a loop for one's own program.

/** @typedef {"people" | "model" | "program"} Judge */

/**
 * What to copy for a kind of judge, each with its label.
 * @param {Judge} judge
 * @param {string} origin of the service
 * @param {string} id of the set
 * @param {boolean} hasPrompts
 * @param {number} price of one comparison; NaN where it is not known
 * @returns {{ label: string, content: string }[]}
 */
export function adviceFor(judge, origin, id, hasPrompts, price) {
  if (judge === "people") return [{ label: "Address", content: `${origin}/sets/${id}/annotate` }];
  if (judge === "program") return [{ label: "Python", content: program(origin, id, hasPrompts, price) }];
  const cost = price >= 0 ? ` --cost-per-1000 ${ofThousand(price)}` : "";
  const worker = `nextpair worker --server ${origin} \\\n  --set ${id} --until-done${cost} \\\n `;
  return [
    {
      label: "Any API",
      content: "export NEXTPAIR_WORKER_ENGINE_KEY=sk-...\n" +
        `${worker} --engine openai --base-url https://api.openai.com --model gpt-4o`,
    },
    { label: "Your GPU", content: `${worker} --model Qwen/Qwen2.5-7B-Instruct` },
  ];
}

/** @param {number} price */
const ofThousand = (price) => Number((1000 * price).toPrecision(12));

/**
 * @param {string} origin
 * @param {string} id
 * @param {boolean} hasPrompts
 * @param {number} price
 */
function program(origin, id, hasPrompts, price) {
  const seen = `${hasPrompts ? "pair.item.prompt, " : ""}pair.first.text, pair.second.text`;
  return `import nextpair

client = nextpair.Client("${origin}")
${price >= 0 ? `client.judges.describe("my program", cost_per_1000=${ofThousand(price)})\n` : ""}judged = client.sets.get("${id}")
while pair := judged.next_pair(judge="my program"):
    pair.tell(p_first=my_judge(${seen}))
print(judged.ranking().first_place)`;
}
