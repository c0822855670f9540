const isAscii = (text: string) => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false
  return true
}

/**
 * How query texts are compared: composed and decomposed spellings, wide letters and ligatures meet (NFKC), case does not matter, and neither do the
 * letters that change with case or language: `ß` is `ss`, the Turkish `İ` and `ı` are `i`, `ς` is `σ`.
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
