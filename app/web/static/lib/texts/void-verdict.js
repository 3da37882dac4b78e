// @ts-check
// What people read when they void a verdict and undo that. Its examples are in tests/js/texts.

export const VOID = "Void";
export const RESTORE = "Restore";
export const UNDO = "Undo";
export const CANCEL = "Cancel";
export const REASON = "Reason";
export const REASONS = ["Wrong side", "Misread the texts", "Not about the question"];
export const ABOUT_VOID = "It stays in the log, marked as voided, and no ranking counts it. You can undo this.";
/** @param {number} seq */
export const title = (seq) => `Void verdict ${seq}?`;
/** @param {number} seq */
export const voided = (seq) => `Verdict ${seq} no longer counts.`;
/** @param {number} seq */
export const restored = (seq) => `Verdict ${seq} counts again.`;
