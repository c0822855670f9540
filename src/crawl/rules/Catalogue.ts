import { availability } from "./Availability.ts"
import { canonicals } from "./Canonicals.ts"
import { canonicalTargets } from "./CanonicalTargets.ts"
import { content } from "./Content.ts"
import { crawlerAccess } from "./CrawlerAccess.ts"
import { document } from "./Document.ts"
import { duplicates } from "./Duplicates.ts"
import { indexability } from "./Indexability.ts"
import { international } from "./International.ts"
import { links } from "./Links.ts"
import { nearDuplicates } from "./NearDuplicates.ts"
import { pageRedirects } from "./PageRedirects.ts"
import { reach } from "./Reach.ts"
import { redirects } from "./Redirects.ts"
import { robotsFiles } from "./RobotsFiles.ts"
import { robotsMeta } from "./RobotsMeta.ts"
import type { Rule } from "./Rule.ts"
import { scoreFactors } from "./ScoreFactors.ts"
import { security } from "./Security.ts"
import { sitemapEntries } from "./SitemapEntries.ts"
import { sitemaps } from "./Sitemaps.ts"
import { snippets } from "./Snippets.ts"
import { structuredData } from "./StructuredData.ts"

/** Every rule, in the order of the report. */
export const catalogue: ReadonlyArray<Rule> = [
  ...availability,
  ...crawlerAccess,
  ...redirects,
  ...pageRedirects,
  ...indexability,
  ...scoreFactors,
  ...robotsMeta,
  ...robotsFiles,
  ...canonicals,
  ...canonicalTargets,
  ...snippets,
  ...content,
  ...duplicates,
  ...nearDuplicates,
  ...links,
  ...reach,
  ...sitemaps,
  ...sitemapEntries,
  ...international,
  ...document,
  ...structuredData,
  ...security
]

/** Their ids. */
export const ruleIds: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

const byId: ReadonlyMap<string, Rule> = new Map(catalogue.map((rule) => [rule.id, rule]))

/** The rule with an id; undefined when the id comes from another version, or from the rules of an embedding program. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id)
