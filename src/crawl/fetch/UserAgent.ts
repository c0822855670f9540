import * as Config from "effect/Config"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
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
  /** The name by which groups of robots.txt address the crawler; default is the product token of its `User-Agent`. */
  readonly productToken?: string
  /** Page that explains the crawler, named in its user agent; default none. */
  readonly crawlerUrl?: URL | null
  /** The whole `User-Agent` of a crawler with a name of its own; default is that of FindableBot. */
  readonly userAgent?: string
}

/** A whole `User-Agent` (RFC 9110 §10.1.5): visible ASCII with blanks between. */
export const UserAgent = Schema.String.pipe(
  Schema.pattern(/^[\x21-\x7e](?:[\x20-\x7e]{0,510}[\x21-\x7e])?$/, {
    message: () => "must be 1 to 512 characters of visible ASCII, with blanks only between them"
  })
)

/** The `User-Agent` of a crawl. */
export const userAgentOf = ({ crawlerUrl, userAgent: own }: CrawlerName): string => own ?? userAgent(crawlerUrl ?? null)

/** The name behind `compatible;` of a browser's form, else the first product (RFC 9309 §2.2.1: letters, `_` and `-`). */
const ownToken = /^Mozilla\/\S+ \(compatible; *([a-z_-]+)|^([a-z_-]+)/i

/** The name by which the crawl finds its group in robots.txt. */
export const productTokenOf = ({ productToken: named, userAgent: own }: CrawlerName): string => {
  const [, inner, first] = ownToken.exec(own ?? "") ?? []
  return named ?? inner ?? first ?? productToken
}
