import { availability } from "./Availability.ts"
import { canonicals } from "./Canonicals.ts"
import { canonicalTargets } from "./CanonicalTargets.ts"
import { content } from "./Content.ts"
import { crawlerAccess } from "./CrawlerAccess.ts"
import { descriptions } from "./Descriptions.ts"
import { document } from "./Document.ts"
import { duplicates } from "./Duplicates.ts"
import { externalLinks } from "./ExternalLinks.ts"
import { indexability } from "./Indexability.ts"
import { international } from "./International.ts"
import { languageVersions } from "./LanguageVersions.ts"
import { linkNames } from "./LinkNames.ts"
import { links } from "./Links.ts"
import { linkTargets } from "./LinkTargets.ts"
import { linkTexts } from "./LinkTexts.ts"
import { loading } from "./Loading.ts"
import { nearDuplicates } from "./NearDuplicates.ts"
import { pageRedirects } from "./PageRedirects.ts"
import { reach } from "./Reach.ts"
import { redirects } from "./Redirects.ts"
import { redirectTargets } from "./RedirectTargets.ts"
import { resources } from "./Resources.ts"
import { robotsAgents } from "./RobotsAgents.ts"
import { robotsFiles } from "./RobotsFiles.ts"
import { robotsMeta } from "./RobotsMeta.ts"
import type { Rule } from "./Rule.ts"
import { scoreFactors } from "./ScoreFactors.ts"
import { security } from "./Security.ts"
import { sitemapDates } from "./SitemapDates.ts"
import { sitemapEntries } from "./SitemapEntries.ts"
import { sitemaps } from "./Sitemaps.ts"
import { snippets } from "./Snippets.ts"
import { socialCards } from "./SocialCards.ts"
import { structuredData } from "./StructuredData.ts"
import { structuredDataTypes } from "./StructuredDataTypes.ts"
import { addressTwins } from "./Twins.ts"

/** Every rule, in the order of the report. */
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
  ...robotsFiles,
  ...canonicals,
  ...canonicalTargets,
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
  ...resources
]

/** Their ids. */
export const ruleIds: ReadonlySet<string> = new Set(catalogue.map(({ id }) => id))

const byId: ReadonlyMap<string, Rule> = new Map(catalogue.map((rule) => [rule.id, rule]))

/** The rule with an id; undefined when the id comes from another version, or from the rules of an embedding program. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id)
