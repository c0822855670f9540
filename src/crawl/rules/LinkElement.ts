import { maxMarkup } from "../page/MarkupOf.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import type { FaultyElement } from "./Fault.ts"

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")

/** A link as an element at fault: as the page writes it where that was kept, else by its address and its text. */
export const elementOf = ({ markup, place, raw, text }: KeptLink): FaultyElement => ({
  markup: (markup ?? `<a href="${escaped(raw)}">${escaped(text)}</a>`).slice(0, maxMarkup),
  place,
  link: raw
})
