import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { isWeb } from "../../foundation/schema/Scalars.ts"
import { between, lasting, listed } from "../../foundation/schema/Setting.ts"

/** IP address or host name that the server listens on. */
export const Host = Config.nonEmptyString("FINDABLE_HOST").pipe(
  Config.withDefault("127.0.0.1"),
  Config.withDescription("IP address or host name that the server listens on")
)

/** Port that the server listens on; 0 takes a free one. */
export const Port = Config.integer("FINDABLE_PORT").pipe(
  between(0, 65_535),
  Config.withDefault(8787),
  Config.withDescription("Port that the server listens on. 0 picks a free port")
)

/** Whether servers of one machine share a port. */
export const ReusePort = Config.boolean("FINDABLE_REUSE_PORT").pipe(
  Config.withDefault(false),
  Config.withDescription("`true` lets several servers of one machine share the port. Linux spreads the connections")
)

/** Whether each request is logged. */
export const AccessLog = Config.boolean("FINDABLE_ACCESS_LOG").pipe(
  Config.withDefault(true),
  Config.withDescription("`false` turns off the `info` log line of each request")
)

/** How long one statement of a read may take. */
export const ReadTimeout = Config.duration("FINDABLE_READ_TIMEOUT").pipe(
  lasting,
  Config.withDefault(Duration.seconds(10)),
  Config.withDescription("Time limit of a database query for a read. A slower read fails with 422")
)

const isOrigin = (text: string) => URL.canParse(text) && isWeb(new URL(text)) && new URL(text).origin === text

/** Origins of pages that may use this API in a browser. */
export const CorsOrigins = listed(
  "FINDABLE_CORS_ORIGINS",
  Option.liftPredicate(isOrigin),
  "an origin. Give origins such as https://app.example.com, separated by commas"
).pipe(Config.withDescription("Origins whose web pages may call the API, comma-separated. Default: none"))
