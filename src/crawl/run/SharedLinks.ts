import type { KeptLink } from "../visit/KeptFacts.ts"
import { Shared } from "./Shared.ts"

/** Links to one address that differ: most pages link to another in the words of their navigation. */
const maxVariants = 16

const addressOf = ({ raw, target }: KeptLink): string => (target.followable ? target.url : raw)

const isSame = (a: KeptLink, b: KeptLink): boolean =>
  a.raw === b.raw &&
  a.text === b.text &&
  a.kind === b.kind &&
  a.isNamed === b.isNamed &&
  a.isToggle === b.isToggle &&
  a.nofollow === b.nofollow &&
  a.place === b.place &&
  a.markup === b.markup &&
  (a.target.followable
    ? b.target.followable && a.target.url === b.target.url && a.target.fragment === b.target.fragment
    : !b.target.followable && a.target.reason === b.target.reason && a.target.detail === b.target.detail)

/** The links of a run, each kept once however many pages have it. */
export class SharedLinks extends Shared<KeptLink> {
  constructor() {
    super(addressOf, isSame, maxVariants)
  }
}
