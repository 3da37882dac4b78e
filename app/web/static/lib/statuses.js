// @ts-check

/**
 * Whether a set of that status will have more pairs to judge.
 * @param {Contract.AskStatus} status
 */
export const goesOn = (status) => status === "open" || status === "all_leased";
