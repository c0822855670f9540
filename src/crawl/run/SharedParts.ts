import type { PagePart } from "../page/Resources.ts"
import { Shared } from "./Shared.ts"

const isSame = (a: PagePart, b: PagePart): boolean =>
  a.kind === b.kind && a.place === b.place && a.link === b.link && a.raw === b.raw

/** The images, styles and scripts of a run: one address is mostly written in the same way. */
export const sharedParts = () => new Shared<PagePart>(({ url }) => url, isSame, 4)
