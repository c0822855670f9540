import { maxMarkup } from "../page/MarkupOf.ts"
import type { KeptLink } from "../visit/KeptFacts.ts"
import type { FaultyElement } from "./Fault.ts"

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;")

/** The element of a link whose markup was not kept, as far as its address and its text tell. */
const written = ({ kind, raw, text }: KeptLink): string =>
  kind === "a"
    ? `<a href="${escaped(raw)}">${escaped(text)}</a>`
    : kind === "area"
      ? `<area href="${escaped(raw)}" alt="${escaped(text)}">`
      : `<${kind} src="${escaped(raw)}">`

/** A link as an element at fault. */
export const elementOf = (link: KeptLink): FaultyElement => ({
  markup: link.markup ?? written(link).slice(0, maxMarkup),
  place: link.place,
  link: link.raw
})
