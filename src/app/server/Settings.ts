import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { isWeb } from "../../foundation/schema/Scalars.ts"
import { between, lasting, listed } from "../../foundation/schema/Setting.ts"

/** Address that the server listens on. */
export const Host = Config.nonEmptyString("FINDABLE_HOST").pipe(
  Config.withDefault("127.0.0.1"),
  Config.withDescription("network address that the server listens on")
)

/** Port that the server listens on; 0 takes a free one. */
export const Port = Config.integer("FINDABLE_PORT").pipe(
  between(0, 65_535),
  Config.withDefault(8787),
  Config.withDescription("port that the server listens on; 0 takes a free one")
)

/** Whether nodes of one machine listen on one port together. */
export const ReusePort = Config.boolean("FINDABLE_REUSE_PORT").pipe(
  Config.withDefault(false),
  Config.withDescription("`true` lets several servers on one machine share the port; Linux distributes the connections")
)

/** Whether each request is logged. */
export const AccessLog = Config.boolean("FINDABLE_ACCESS_LOG").pipe(
  Config.withDefault(true),
  Config.withDescription("`false` turns off the log line of each request")
)

/** How long one statement of a read may take. */
export const ReadTimeout = Config.duration("FINDABLE_READ_TIMEOUT").pipe(
  lasting,
  Config.withDefault(Duration.seconds(10)),
  Config.withDescription("time limit of a database query for a GET request; a slower one returns 422")
)

const isOrigin = (text: string) => URL.canParse(text) && isWeb(new URL(text)) && new URL(text).origin === text

/** Origins whose pages may use this API in a browser. */
export const CorsOrigins = listed(
  "FINDABLE_CORS_ORIGINS",
  Option.liftPredicate(isOrigin),
  "an origin: list origins such as https://app.example.com, separated by commas"
).pipe(Config.withDescription("origins (comma-separated) whose web pages may call the API; none by default"))
