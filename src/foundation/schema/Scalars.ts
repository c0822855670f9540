import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Ports of other protocols, to which browsers send no request (Fetch standard, "port blocking"): https://fetch.spec.whatwg.org/#port-blocking */
const bad: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080
])

/** Why a URL's port is blocked, as the end of a sentence. Undefined for an allowed port, and for text that is no URL. */
export const portProblem = (address: string): string | undefined => {
  const port = URL.parse(address)?.port ?? ""
  return port === "" || !bad.has(Number(port))
    ? undefined
    : `must not use port ${port}: another protocol owns it, and browsers block it too`
}

/** The host of a URL without the root's final dot; empty for text that is no URL. */
const hostOf = (address: string): string => (URL.parse(address)?.hostname ?? "").replace(/\.$/, "")

/**
 * Why a URL's host is no valid host name (RFC 1035 §2.3.4, RFC 1123 §2.1), as the end of a sentence. Undefined for a valid host, and for text that is no URL.
 * Underscores are allowed, because names have them in practice.
 */
export const hostProblem = (address: string): string | undefined => {
  const host = hostOf(address)
  if (host === "" || host.startsWith("[")) return undefined
  const isName = host.length <= 253 && host.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
  return isName ? undefined : `must have a host such as example.com: ${host.slice(0, 100)} is not a valid host name`
}

/** A URL's host of one word: a machine in a private network, or a typing error. Undefined for other hosts and for `localhost`. */
export const localName = (address: string): string | undefined => {
  const host = hostOf(address)
  return host === "" || host === "localhost" || /[.:]/.test(host) ? undefined : host
}

/** A field with its description. A named schema stays unchanged: the description is beside the reference to it. */
export const field = <S extends Schema.Schema.All>(schema: S, description: string) =>
  Schema.propertySignature(schema).annotations({ description })

/** Trimmed text by a person, without NUL and lone surrogates, which PostgreSQL's `text` cannot hold. */
export const Text = (longest: number) =>
  Schema.transform(
    Schema.String.annotations({ jsonSchema: { minLength: 1, maxLength: longest } }),
    Schema.String.pipe(
      Schema.filter(
        (text) => text.length >= 1 && text.length <= longest && !text.includes("\u0000") && text.isWellFormed(),
        { message: () => `must be 1 to ${longest} characters of valid text` }
      )
    ),
    { strict: true, decode: (text) => text.trim(), encode: (text) => text }
  )

/** Non-empty text, kept unchanged. */
export const NonEmptyText = Schema.NonEmptyString.annotations({ message: () => "must not be empty" })

/** A whole number from 0. */
export const Count = Schema.NonNegativeInt

/** A finite number, because JSON has no infinity and no NaN. */
export const Finite = Schema.JsonNumber

/** A score from 0 to 100. */
export const Score = Schema.Number.pipe(Schema.between(0, 100))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => uuid.test(text)

/** A UUID in a body or query; a malformed UUID is invalid input. */
export const Uuid = Schema.String.pipe(
  Schema.filter(isUuid, { jsonSchema: { format: "uuid" }, message: () => "must be a UUID" })
)

/** The version of Findable; a test compares it with the package's. */
export const version = "0.1.0"

/** Whether a URL is http or https. */
export const isWeb = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:"

/** Reads an absolute http or https URL without credentials; none for any other text. */
export const webUrl = (address: string): Option.Option<URL> =>
  Option.fromNullable(URL.parse(address)).pipe(
    Option.filter((url) => isWeb(url) && url.username === "" && url.password === "" && url.hostname !== "")
  )

/** Whether a text is an absolute http or https URL. `URL` alone would also accept `https:x` and inner line breaks. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text)

/** An absolute http or https URL. */
export const WebAddress = Schema.String.pipe(
  Schema.pattern(/^https?:\/\/\S+$/i, { message: () => "must be an http or https URL" })
)

/** A host name for comparisons: without `www.`, unless only one label would remain. */
export const bareHost = (host: string): string => host.toLowerCase().replace(/^www\.(?=[^.]+\.)/, "")
