/** How query texts are compared: lower case, and one small sigma, which lower-casing would choose by its place in the word. */
export const fold = (text: string): string => text.toLowerCase().replaceAll("ς", "σ")
