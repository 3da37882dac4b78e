// @ts-check
// How far candidates moved between two rankings.

/**
 * `isBeyond` is true where the rank of now lies outside the rank interval of then.
 * @typedef {{ key: string, before: Contract.Rank, after: Contract.Rank, move: number, isBeyond: boolean }} Move
 */

/**
 * Everybody who is in both rankings, in the order of the later one.
 * @param {Pick<Contract.Ranking, "ranking">} earlier
 * @param {Pick<Contract.Ranking, "ranking">} later
 * @returns {Move[]}
 */
export function moves({ ranking: earlier }, { ranking: later }) {
  const byKey = new Map(earlier.map((row) => [row.key, row]));
  return later.flatMap((after) => {
    const before = byKey.get(after.key);
    if (!before) return [];
    const [best, worst] = before.rank_interval ?? [-Infinity, Infinity];
    return [{ key: after.key, before, after, move: before.rank - after.rank, isBeyond: after.rank < best || after.rank > worst }];
  });
}
