import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { failure } from "../../foundation/http/ApiError.ts"
import { about, body, Data, described } from "../../foundation/http/Contract.ts"
import { field } from "../../foundation/schema/Scalars.ts"
import { secondsOf, Timestamp } from "../../foundation/schema/Time.ts"
import { Keyless } from "./Authorized.ts"
import { isChoosable, ManagedKey, ofAdministrator, scopes } from "./Domain.ts"

/** Minutes of validity of a link to the console. */
export const codeMinutes = 5

/** Random bytes of a code. */
export const codeBytes = 24

/** The code of a link to the console: its random bytes in base64url. */
export const ConsoleCode = Schema.String.pipe(
  Schema.filter((text) => /^[A-Za-z0-9_-]{32}$/.test(text)),
  Schema.annotations({
    jsonSchema: { pattern: "^[A-Za-z0-9_-]{32}$" },
    message: () => ({ message: "must be the code of a sign-in link", override: true })
  }),
  Schema.brand("accounts/ConsoleCode")
)
export type ConsoleCode = typeof ConsoleCode.Type

/** The scopes of a session's key by the kind of its link. */
export const sessionScopes = {
  usual: ["*", "site-health:write"],
  reading: Object.keys(scopes).filter((scope) => scope.endsWith(":read") && isChoosable(scope)),
  /** For the administrator: everything. */
  operator: ["*", "site-health:write", "keys:manage", "geo:write", "interventions:write", ofAdministrator]
} as const satisfies Readonly<Record<string, ReadonlyArray<string>>>

/** The scopes that a link can name. */
const nameable = ["*", ...Object.keys(scopes)].filter((scope) => isChoosable(scope) || scope === ofAdministrator)

/** The scopes of a link, separated by commas. */
export const LinkScopes = Schema.transform(
  Schema.String,
  Schema.Array(
    Schema.String.pipe(
      Schema.filter((scope) => nameable.includes(scope), {
        message: ({ actual }) => `has no scope ${String(actual).slice(0, 50)}. Choose from ${nameable.join(", ")}`
      })
    )
  ),
  {
    strict: true,
    decode: (text) => [...new Set(text.split(",").map((scope) => scope.trim()))],
    encode: (scopes) => scopes.join(",")
  }
)

const [shortest, longest] = [60, 30 * 86_400]

/** How long a session lasts, written `30m`, `12h` or `7d`, in seconds: a minute to 30 days. */
export const SessionLength = Schema.String.pipe(
  Schema.filter((text) => secondsOf(text) >= shortest && secondsOf(text) <= longest, {
    message: () => "must be 1m to 30d, such as 30m, 12h or 7d"
  }),
  Schema.transform(Schema.Number, { strict: true, decode: secondsOf, encode: (seconds) => `${seconds}s` })
)

/** Body of `POST /console-sessions`. */
const EnterConsole = Schema.Struct({
  code: ConsoleCode.annotations({ description: "Code from a sign-in link; valid once, for five minutes" })
}).annotations({ identifier: "EnterConsole", description: "Code from a sign-in link" })

/** The key of a session, which only this response has. */
export const ConsoleSession = Schema.Struct({
  key: Schema.String.annotations({ description: "API key of the session; only this response has it" }),
  expires_at: field(Timestamp, "When the key expires; `DELETE /key` signs out earlier"),
  scopes: ManagedKey.fields.scopes
}).annotations({ identifier: "ConsoleSession", description: "API key of a console session, with its expiry" })
export type ConsoleSession = typeof ConsoleSession.Type

/** The exchange of a code for the console's key. */
export class ConsoleSessionsApi extends HttpApiGroup.make("console-sessions")
  .annotateContext(about("Sign-in of the console, with the code from a sign-in link."))
  .add(
    HttpApiEndpoint.post("enter", "/console-sessions")
      .annotateContext(
        described(
          "Sign in to the console",
          "Exchanges the code of a sign-in link, which the administrator creates on the server, for an API key that expires. A code is valid once and for five minutes; otherwise the response is 404. Requests are limited per IP address."
        )
      )
      .setPayload(body(EnterConsole))
      .addSuccess(Data(ConsoleSession), { status: 201 })
      .addError(failure("validation_error"))
      .addError(failure("not_found"))
      .middleware(Keyless)
  )
  .prefix("/api/v1") {}
