import { tokens } from "../../foundation/design/Tokens.ts"
import { escapeInvisible as visible } from "../../foundation/text/Words.ts"
import { safe } from "./Wording.ts"

/** HTML that is safe to write; only `html` makes it, so all text is escaped. */
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

/** Spaces and line breaks stay; invisible characters become visible escapes. */
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

/** Template tag: escapes everything between the literal parts except markup. */
export const html = (literals: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Markup =>
  new Markup(literals.map((literal, index) => literal + written(parts[index] ?? null)).join(""))

/** A URL that narrow screens break after its slashes rather than inside a word. */
const breakable = (text: string): Markup =>
  new Markup(
    text
      .split(/(?<=[^/:]\/|[?&])(?=.)/)
      .map(escape)
      .join("<wbr>")
  )

/** A link only for web URLs; any other redirect target is text. */
export const link = (url: string): Markup =>
  /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="nofollow noreferrer">${breakable(safe(url))}</a>`
    : html`${safe(url)}`

/** The styles of the HTML report: only URLs break inside words; narrow screens stack the entries. */
export const style = new Markup(`
${tokens}:root { font: 16px/1.5 var(--sans); --c-eligible: #b7dfc3; --c-hidden: #d8d3ea; --c-redirect: #c5daf5; --c-failed: #f4b8b3; --c-unchecked: #f3dfb2; --c-folder: #e6e8eb }
@media (prefers-color-scheme: dark) { :root { --c-eligible: #27523a; --c-hidden: #453f63; --c-redirect: #2b4668; --c-failed: #7a2f2a; --c-unchecked: #66521f; --c-folder: #33373b } }
* { box-sizing: border-box }
body { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink) }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .3rem } h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem }
a { color: var(--link) } small, .quiet { color: var(--quiet) } p { margin: .4rem 0; max-width: 60rem }
h1, .u { overflow-wrap: anywhere }
code { font: .85em/1.4 var(--mono); background: var(--line); border-radius: .2rem; padding: .05rem .3rem; white-space: pre-wrap; -webkit-box-decoration-break: clone; box-decoration-break: clone }
.score { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem .8rem; background: var(--card); border-radius: .5rem; padding: .8rem 1rem; margin: 1rem 0 }
.score b { font-size: 3rem; line-height: 1 } .good b { color: var(--good) } .needs_improvement b, .needs_attention b { color: var(--warn) } .poor b { color: var(--bad) }
.score ul { flex-basis: 100%; margin: .3rem 0 0; padding-left: 1.2rem }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line) }
td, th { overflow-wrap: normal; word-break: normal; hyphens: none } th { color: var(--quiet); font-weight: 600 } td.u { min-width: 14rem }
.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
details { border-left: .25rem solid var(--line); background: var(--card); border-radius: 0 .4rem .4rem 0; padding: .5rem .9rem; margin: .6rem 0 }
details details { background: none; border: 0; padding: 0 } summary { cursor: pointer } details ul { margin: .4rem 0; padding-left: 1.2rem } li { margin: .15rem 0 }
details.critical { border-color: var(--bad) } details.warning { border-color: var(--warn) }
.tag { font-size: .8rem; font-weight: 600; padding: .05rem .5rem; border-radius: 1rem; border: 1px solid currentColor; white-space: nowrap; margin-right: .4rem }
.tag.critical, tr.failed .n:first-child { color: var(--bad) } .tag.warning { color: var(--warn) } .tag.info { color: var(--quiet) } .tag.fixed { color: var(--good) }
.wide { overflow-x: auto } svg { display: block; width: 100%; min-width: 40rem; font: 11px var(--sans) }
svg rect { stroke: var(--paper); stroke-width: 1 } svg text { fill: var(--ink); pointer-events: none }
.eligible { fill: var(--c-eligible) } .hidden { fill: var(--c-hidden) } .redirect { fill: var(--c-redirect) } .failed { fill: var(--c-failed) } .unchecked { fill: var(--c-unchecked) } .folder { fill: var(--c-folder) }
.legend span { white-space: nowrap; margin-right: 1rem } .legend i { display: inline-block; width: .8rem; height: .8rem; border-radius: .2rem; margin-right: .3rem; vertical-align: -.05rem }
i.eligible { background: var(--c-eligible) } i.hidden { background: var(--c-hidden) } i.redirect { background: var(--c-redirect) } i.failed { background: var(--c-failed) } i.unchecked { background: var(--c-unchecked) }
#filter { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; margin: .6rem 0 } #filter[hidden] { display: none }
#filter input, #filter select { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .3rem; padding: .3rem .5rem; max-width: 100% }
@media (max-width: 40rem) { body { padding: 1rem .75rem 3rem } thead { display: none } tr { display: block; padding: .4rem 0; border-bottom: 1px solid var(--line) } tr[hidden] { display: none }
  td { display: inline-block; border: 0; padding: .1rem .6rem .1rem 0 } td.u { display: block; min-width: 0; padding-right: 0 } td[data-is]::before { content: attr(data-is) " "; color: var(--quiet) } td:empty { display: none } }
@media print { #filter { display: none } }
`)
