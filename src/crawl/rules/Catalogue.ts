import { availability } from "./Availability.ts"
import { canonicals } from "./Canonicals.ts"
import { content } from "./Content.ts"
import { document } from "./Document.ts"
import { duplicates } from "./Duplicates.ts"
import { indexability } from "./Indexability.ts"
import { international } from "./International.ts"
import { links } from "./Links.ts"
import { reach } from "./Reach.ts"
import { redirects } from "./Redirects.ts"
import { robotsFiles } from "./RobotsFiles.ts"
import type { Rule } from "./Rule.ts"
import { sitemapEntries } from "./SitemapEntries.ts"
import { sitemaps } from "./Sitemaps.ts"

/** Every rule, in the order of the report. */
export const catalogue: ReadonlyArray<Rule> = [
  ...availability,
  ...redirects,
  ...indexability,
  ...robotsFiles,
  ...canonicals,
  ...content,
  ...duplicates,
  ...links,
  ...reach,
  ...sitemaps,
  ...sitemapEntries,
  ...international,
  ...document
]

/** Their ids. */
export const ruleIds: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

const byId: ReadonlyMap<string, Rule> = new Map(catalogue.map((rule) => [rule.id, rule]))

/** The rule with an id; undefined when the id comes from another version, or from the rules of an embedding program. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id)
