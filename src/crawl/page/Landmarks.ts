import type { PagePlace } from "../report/PagePlace.ts"
import { roleOf } from "./AccessibleName.ts"
import type { DomElement } from "./Dom.ts"

/** How many elements of each kind are open where the walk through a document stands. */
type Open = Readonly<Record<"footer" | "head" | "header" | "nav" | "section", number>>

/** Roles of the landmarks that are distinguished. */
const landmarkRoles = { banner: "header", contentinfo: "footer", navigation: "nav" } as const
type Landmark = (typeof landmarkRoles)[keyof typeof landmarkRoles]

/** The landmark that an element is besides what its name alone opens; null when it is none. A header of a section is no landmark (HTML-AAM 1.0 §3.5). */
export const landmarkOf = (element: DomElement, hasAttributes: boolean, { section }: Open): Landmark | null => {
  const role = hasAttributes && element.hasAttribute("role") ? roleOf(element) : ""
  if (role === "banner" || role === "contentinfo" || role === "navigation") return landmarkRoles[role]
  const name = element.localName
  return role === "" && section === 0 && (name === "header" || name === "footer") ? name : null
}

/** The part of the page where the walk stands: the navigation in a header is navigation. */
export const placeOf = ({ footer, head, header, nav }: Open): PagePlace =>
  head > 0 ? "head" : nav > 0 ? "nav" : footer > 0 ? "footer" : header > 0 ? "header" : "main"
