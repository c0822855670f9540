import * as Config from "effect/Config"
import * as Option from "effect/Option"
import { isWeb } from "../../foundation/schema/WebAddress.ts"

/** Where this crawler is explained to the owners of the sites that it visits; null when no page does. */
export const CrawlerUrl = Config.url("FINDABLE_CRAWLER_URL").pipe(
  Config.validate({
    message: "must be an http or https address without a password",
    validation: (url) => isWeb(url) && url.username === "" && url.password === ""
  }),
  Config.option,
  Config.map(Option.getOrNull),
  Config.withDescription("page that explains the crawler to owners of sites, named in its user agent; none by default")
)

/** In a comment these characters would end it or need a backslash (RFC 9110 §5.6.5). */
const escaped = (url: URL): string =>
  url.href.replace(/[()\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** The product token that robots.txt groups name. */
export const productToken = "FindableBot"

/** How the crawler names itself; the product token of robots.txt stays as it is, whatever page explains it. */
export const userAgent = (about: URL | null): string =>
  `Mozilla/5.0 (compatible; ${productToken}/1.0${about === null ? "" : `; +${escaped(about)}`})`

/** How a crawl names itself to the sites that it visits. */
export interface CrawlerName {
  /** Page that explains the crawler, named in its user agent; default none. */
  readonly crawlerUrl?: URL | null
  /** The whole `User-Agent` of a crawler with a name of its own; default is that of FindableBot. */
  readonly userAgent?: string
}

/** The `User-Agent` of a crawl. */
export const userAgentOf = ({ crawlerUrl, userAgent: own }: CrawlerName): string => own ?? userAgent(crawlerUrl ?? null)
