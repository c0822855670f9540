import { html } from "parse5"
import type { Outline } from "./Outline.ts"
import { strip } from "./Strings.ts"

/** Types by which a script element is run (HTML standard §4.12.1); any other makes it a block of data. */
const executable = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i

const wish =
  /(?:enabl|requir|need|turn on|without|disabl|a[ck]tiv|benötig|nécess|necesit|habilit|включ).{0,40}java\s?script|java\s?script.{0,40}(?:enabl|requir|need|disabl|a[ck]tiv|habilit|необходим|有効|必要|启用)/i

/** How many scripts the document runs, and whether what it shows without them asks for them. */
export const scripts = ({ body, elements, noscript }: Outline) => ({
  scripts: elements.filter(
    ({ element, name, namespace }) =>
      name === "script" && namespace === html.NS.HTML && executable.test(strip(element.getAttribute("type") ?? ""))
  ).length,
  asksForScripts: wish.test(`${noscript} ${body.slice(0, 300)}`)
})
