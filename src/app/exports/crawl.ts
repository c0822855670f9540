/** `findable/crawl`: the crawl with rules, limits, a name and a client of one's own; in Node and in Bun, without a database. */

export type { CrawlEvent, CrawlOptions } from "../../crawl/Crawl.ts"
export { Counters, CrawlFailed, CrawlResult, crawl } from "../../crawl/Crawl.ts"
export type { Finding } from "../../crawl/report/Finding.ts"
export type { MeasuredPage } from "../../crawl/report/MeasuredPage.ts"
/** The rules of the product, and how others are made: `rules: [...catalogue, perPage(…)]`. */
export { catalogue } from "../../crawl/rules/Catalogue.ts"
export type { Check, Gate, ReadPage, Rule, RuleText } from "../../crawl/rules/Rule.ts"
export { isEligible, isRead, perPage, perUrl, siteWide } from "../../crawl/rules/Rule.ts"
/** The guarded client, which a crawl needs: the product's own after its self-test, or any other behind the same service. */
export * as Guarded from "../../foundation/outbound/Guarded.ts"
export type { OutboundReason, OutboundRequest, OutboundResponse, Timings } from "../../foundation/outbound/Outbound.ts"
export { Outbound, OutboundError } from "../../foundation/outbound/Outbound.ts"
