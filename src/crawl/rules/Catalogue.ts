import { availability, security } from "./Availability.ts"
import { canonicals } from "./Canonicals.ts"
import { canonicalTargets } from "./CanonicalTargets.ts"
import { content, duplicates, nearDuplicates } from "./Content.ts"
import { descriptions, document } from "./Document.ts"
import { indexability, noscript, robotsMeta } from "./Indexability.ts"
import { international } from "./International.ts"
import { linkNames, links, linkTexts } from "./Links.ts"
import { externalLinks, linkTargets } from "./LinkTargets.ts"
import { loading, resources } from "./Loading.ts"
import { reach } from "./Reach.ts"
import { pageRedirects, redirects, redirectTargets } from "./Redirects.ts"
import { renderedLinks } from "./RenderedLinks.ts"
import { renderedMeta } from "./RenderedMeta.ts"
import { renderedIndexability } from "./Rendering.ts"
import { crawlerAccess, robotsAgents, robotsFiles } from "./Robots.ts"
import type { Rule } from "./Rule.ts"
import { scoreFactors } from "./ScoreFactors.ts"
import { nextPages, sequenceCanonicals } from "./Sequences.ts"
import { sitemapEntries } from "./SitemapEntries.ts"
import { sitemapDates, sitemaps } from "./Sitemaps.ts"
import { snippets } from "./Snippets.ts"
import { socialCards, structuredData, structuredDataTypes } from "./StructuredData.ts"
import { addressTwins } from "./Targets.ts"
import { languageVersions } from "./UnnamedVersions.ts"

/** Every check, in the order of the report. */
export const catalogue: ReadonlyArray<Rule> = [
  ...availability,
  ...crawlerAccess,
  ...redirects,
  ...redirectTargets,
  ...pageRedirects,
  ...indexability,
  ...scoreFactors,
  ...robotsAgents,
  ...robotsMeta,
  ...noscript,
  ...robotsFiles,
  ...canonicals,
  ...canonicalTargets,
  ...sequenceCanonicals,
  ...snippets,
  ...descriptions,
  ...content,
  ...duplicates,
  ...nearDuplicates,
  ...addressTwins,
  ...socialCards,
  ...links,
  ...linkNames,
  ...linkTargets,
  ...linkTexts,
  ...nextPages,
  ...reach,
  ...externalLinks,
  ...sitemaps,
  ...sitemapEntries,
  ...sitemapDates,
  ...international,
  ...languageVersions,
  ...document,
  ...loading,
  ...structuredData,
  ...structuredDataTypes,
  ...security,
  ...resources,
  ...renderedIndexability,
  ...renderedMeta,
  ...renderedLinks
]

/** The ids of all checks. */
export const ruleIds: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

const byId: ReadonlyMap<string, Rule> = new Map(catalogue.map((rule) => [rule.id, rule]))

/** The check with an id; undefined for an id from another version, or from an embedding program. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id)
