import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { HeaderLine, SiteHeaders } from "../../crawl/fetch/SiteHeaders.ts"
import { UserAgent } from "../../crawl/fetch/UserAgent.ts"
import { RequestRate } from "../../crawl/politeness/Pace.ts"
import type { RunOptions } from "../../crawl/run/RunOptions.ts"
import { AddressGlob } from "../../crawl/visit/Scope.ts"
import { option, repeatedOption } from "../../foundation/terminal/Input.ts"

// How a crawl of the command line asks for the pages of a site: options of all commands that crawl.

const isSiteHeaders = Schema.is(SiteHeaders)

/** `--header 'Name: value'`, repeatable; its values never stand in a message. */
const headers = Options.mapEffect(repeatedOption("header", HeaderLine, "field"), (fields) => {
  const named = Object.fromEntries(fields)
  const isTwice = Object.keys(named).length < fields.length || !isSiteHeaders(named)
  return isTwice
    ? Effect.fail(ValidationError.invalidValue(HelpDoc.p("--header names one field twice")))
    : Effect.succeed(named)
}).pipe(
  Options.withDescription("a field 'Name: value' of every request to the site's own host and port, and to no other")
)

const Rate = Schema.compose(Schema.NumberFromString, RequestRate).annotations({
  message: () => ({ message: "must be a number above 0 and at most 1000, such as 2 or 0.5", override: true })
})

/** Options of the commands that crawl. */
export const manners = {
  headers,
  rate: Options.optional(
    option("rate", Rate, "number").pipe(
      Options.withDescription("requests a second at most, such as 2 or 0.5; fewer where robots.txt asks for it")
    )
  ),
  userAgent: Options.optional(
    option("user-agent", UserAgent).pipe(
      Options.withDescription("the whole User-Agent; its first name chooses the group of robots.txt")
    )
  )
}

const glob = (name: "exclude" | "include", what: string) =>
  repeatedOption(name, AddressGlob, "glob").pipe(Options.withDescription(what))

/** Options that say what of a site is read. */
export const globs = {
  exclude: glob("exclude", "never request what matches this glob on path and query, such as /admin/* or *?sort=*"),
  include: glob("include", "read only pages that match this glob, besides the start; --exclude goes first")
}

/** Values of these options as the crawl takes them. */
export const mannersOf = (given: {
  readonly headers: Readonly<Record<string, string>>
  readonly rate: Option.Option<number>
  readonly userAgent: Option.Option<string>
}): Pick<RunOptions, "headers" | "rate" | "userAgent"> => ({
  headers: given.headers,
  ...Option.match(given.rate, { onNone: () => ({}), onSome: (rate) => ({ rate }) }),
  ...Option.match(given.userAgent, { onNone: () => ({}), onSome: (userAgent) => ({ userAgent }) })
})
