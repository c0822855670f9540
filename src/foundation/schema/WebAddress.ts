import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Whether a parsed address is one of the web: http or https. */
export const isWeb = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:"

/** Reads an absolute http or https address without credentials; none for anything else. */
export const webUrl = (address: string): Option.Option<URL> =>
  Option.fromNullable(URL.parse(address)).pipe(
    Option.filter((url) => isWeb(url) && url.username === "" && url.password === "" && url.hostname !== "")
  )

/** Whether the text is written as an absolute http or https address: `URL` alone would also take `https:x` and inner line breaks. */
export const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) && URL.canParse(text)

/** An absolute http or https address. */
export const WebAddress = Schema.String.pipe(
  Schema.pattern(/^https?:\/\/\S+$/i, { message: () => "must be an http or https address" })
)

/** A host name for comparisons: without `www.`, unless only one label would remain. */
export const bareHost = (host: string): string => host.toLowerCase().replace(/^www\.(?=[^.]+\.)/, "")
