import * as Config from "effect/Config"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isWeb } from "../../foundation/schema/Scalars.ts"

/** Fields that the crawl writes itself, that frame a message or belong to one connection (RFC 9110 §7.6.1), or that ask for a partial response. */
const owned = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "cookie",
  "expect",
  "host",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent"
])

const isToken = /^[\w!#$%&'*+.^`|~-]{1,100}$/

// Visible characters of ISO 8859-1 with spaces and tabs between them (RFC 9110 §5.5).
const isValue = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]{0,8190}[\x21-\x7e\x80-\xff])?$/

/** What is wrong with a header field for requests to a site; null when it is valid. The message never quotes the value: it may be a secret. */
const faultOf = (name: string, value: string): string | null => {
  if (!isToken.test(name))
    return "needs a name of letters, digits and hyphens before its colon, such as Authorization: Bearer …"
  if (name.toLowerCase() === "user-agent") return `cannot set ${name}: use the option for the user agent`
  if (owned.has(name.toLowerCase())) return `cannot set ${name}: Findable sets this header itself`
  if (value === "") return `has no value for ${name}`
  return isValue.test(value)
    ? null
    : `has a value for ${name} that cannot be sent: use visible characters of ISO 8859-1 only`
}

const faultsOf = (fields: Readonly<Record<string, string>>): string | null => {
  const names = Object.keys(fields).map((name) => name.toLowerCase())
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  const [fault = null] = Object.entries(fields).flatMap(([name, value]) => faultOf(name, value) ?? [])
  return fault ?? (twice === undefined ? null : `names ${twice} twice`)
}

/** Header fields for requests to the site, by name. */
export const SiteHeaders = Schema.Record({ key: Schema.String, value: Schema.String }).pipe(
  Schema.filter((fields) => faultsOf(fields) ?? true)
)

const blanks = /^[ \t]+|[ \t]+$/g

/** Name and value of a line, trimmed; without a colon there is no name. */
const partsOf = (line: string): readonly [name: string, value: string] => {
  const [name = "", ...value] = line.split(":")
  return value.length === 0 ? ["", ""] : [name, value.join(":").replace(blanks, "")]
}

/** One header field as `Name: value`. */
export const HeaderLine = Schema.transform(
  Schema.String.pipe(Schema.filter((line) => faultOf(...partsOf(line)) ?? true)),
  Schema.Tuple(Schema.String, Schema.String),
  { decode: partsOf, encode: ([name, value]) => `${name}: ${value}`, strict: true }
)

/** Page that explains this crawler to site owners; null when there is none. */
export const CrawlerUrl = Config.url("FINDABLE_CRAWLER_URL").pipe(
  Config.validate({
    message: "must be an http or https URL without a password",
    validation: (url) => isWeb(url) && url.username === "" && url.password === ""
  }),
  Config.option,
  Config.map(Option.getOrNull),
  Config.withDescription(
    "URL of a page that explains your crawler to site owners. The User-Agent names it. Default: none"
  )
)

/** In a comment these characters would end it or need a backslash (RFC 9110 §5.6.5). */
const escaped = (url: URL): string =>
  url.href.replace(/[()\\]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)

/** The product token for groups in robots.txt. */
export const productToken = "FindableBot"

/** The `User-Agent` of the crawler; its product token is the same for every explaining page. */
export const userAgent = (about: URL | null): string =>
  `Mozilla/5.0 (compatible; ${productToken}/1.0${about === null ? "" : `; +${escaped(about)}`})`

/** The crawler's name for the sites that it visits. */
export interface CrawlerName {
  /** The name of the crawler in groups of robots.txt; default is the product token of its `User-Agent`. */
  readonly productToken?: string
  /** Page that explains the crawler, named in its user agent; default none. */
  readonly crawlerUrl?: URL | null
  /** The whole `User-Agent` of a crawler with its own name; default is FindableBot's. */
  readonly userAgent?: string
}

/** A whole `User-Agent` (RFC 9110 §10.1.5): visible ASCII with blanks between. */
export const UserAgent = Schema.String.pipe(
  Schema.pattern(/^[\x21-\x7e](?:[\x20-\x7e]{0,510}[\x21-\x7e])?$/, {
    message: () => "must be 1 to 512 visible ASCII characters, with spaces only between them"
  })
)

/** The `User-Agent` of a crawl. */
export const userAgentOf = ({ crawlerUrl, userAgent: own }: CrawlerName): string => own ?? userAgent(crawlerUrl ?? null)

/** The name behind `compatible;` in a browser-like `User-Agent`, else the first product (RFC 9309 §2.2.1: letters, `_` and `-`). */
const ownToken = /^Mozilla\/\S+ \(compatible; *([a-z_-]+)|^([a-z_-]+)/i

/** The name by which the crawl finds its group in robots.txt. */
export const productTokenOf = ({ productToken: named, userAgent: own }: CrawlerName): string => {
  const [, inner, first] = ownToken.exec(own ?? "") ?? []
  return named ?? inner ?? first ?? productToken
}
