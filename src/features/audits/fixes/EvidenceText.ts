import { plain } from "../report/PlainText.ts"

const angle = "<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u276e"
const slash = "/\uff0f\u2044\u2215\u29f8"
const closing = new RegExp(`[${angle}] ?[${slash}]`, "gu")
const opening = new RegExp(`[${angle}] ?(?=\\||evidence)`, "giu")

/**
 * A value of the page as it may stand inside the evidence block: one visible line of at most `max` characters in which nothing
 * can close or open the block, begin a code fence or pass for a chat control token (`</` is written `<\/`).
 */
export const evidenceText = (value: string, max: number): string => {
  const neutral = plain(value, max)
    .replace(closing, "<\\/")
    .replace(opening, "<\\")
    .replaceAll("`", "'")
    .replace(/~{3,}/g, "~~")
  return plain(neutral, max)
}
