const isAscii = (text: string) => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/**
 * The form in which query texts are compared: NFKC unites composed and decomposed spellings, wide letters and ligatures; case is dropped; letters that
 * change with case or language are united: `ß` is `ss`, the Turkish `İ` and `ı` are `i`, `ς` is `σ`.
 */
export const fold = (text: string): string =>
  isAscii(text)
    ? text.toLowerCase()
    : text
        .normalize("NFKC")
        .toLowerCase()
        .replaceAll("i\u0307", "i")
        .replaceAll("ı", "i")
        .replaceAll("ß", "ss")
        .replaceAll("ς", "σ")
        .normalize("NFC")
