/** `findable/crawl`: the crawl with your own rules, limits, name and client; for Node and Bun, without a database. */

export type { CrawlEvent, CrawlOptions } from "../../crawl/Crawl.ts"
export { Counters, CrawlFailed, CrawlResult, crawl } from "../../crawl/Crawl.ts"
export type { Finding } from "../../crawl/report/Finding.ts"
export type { MeasuredPage } from "../../crawl/report/MeasuredPage.ts"
/** The rules of the product, and constructors for others: `rules: [...catalogue, perPage(…)]`. */
export { catalogue } from "../../crawl/rules/Catalogue.ts"
export type { Check, Precondition, Precondition as Gate, ReadPage, Rule, RuleText } from "../../crawl/rules/Rule.ts"
export { isEligible, isRead, perPage, perUrl, siteWide } from "../../crawl/rules/Rule.ts"
/** The HTTP client that a crawl needs: the guarded one, after its self-test, or any other behind the same service. */
export * as Guarded from "../../foundation/outbound/Guarded.ts"
export type { OutboundReason, OutboundRequest, OutboundResponse, Timings } from "../../foundation/outbound/Outbound.ts"
export { Outbound, OutboundError } from "../../foundation/outbound/Outbound.ts"
