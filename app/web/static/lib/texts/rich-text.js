// @ts-check
// Texts of code in a text.

export const COPY = "Copy";
export const COPIED = "Copied";
