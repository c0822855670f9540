import { escapeInvisible as visible } from "../../foundation/text/EscapeInvisible.ts"
import { safe } from "./Text.ts"

/** HTML that is safe to write out; only `html` makes it, so text can never slip in unescaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Part = string | number | null | Markup | ReadonlyArray<Markup>

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Spaces and line breaks stay; what would not show at all is written as its escape. */
const escape = (text: string): string =>
  text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : visible(part)))
    .join("")
    .replace(/[&<>"']/g, (character) => escapes[character] ?? "")

const written = (part: Part): string => {
  if (part === null) return ""
  if (part instanceof Markup) return part.text
  return typeof part === "object" ? part.map(({ text }) => text).join("") : escape(`${part}`)
}

/** Template tag: everything between the literal parts is escaped unless it is markup already. */
export const html = (literals: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Markup =>
  new Markup(literals.map((literal, index) => literal + written(parts[index] ?? null)).join(""))

/** An address, which a narrow screen breaks behind its slashes rather than in the middle of a word. */
const breakable = (text: string): Markup =>
  new Markup(
    text
      .split(/(?<=[^/:]\/|[?&])(?=.)/)
      .map(escape)
      .join("<wbr>")
  )

/** A link only for web addresses: whatever else a redirect names is shown as text. */
export const link = (url: string): Markup =>
  /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="nofollow noreferrer">${breakable(safe(url))}</a>`
    : html`${safe(url)}`
