import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CurrentRequest } from "../../foundation/http/ServerContext.ts"

/** The longest wait for an answer, in seconds: well below the time-outs of proxies. */
const longestWait = 25

const description = `\`wait=N\`: answer when the run has ended, or after N seconds (at most ${longestWait}), whichever is first`

const parameter = { name: "prefer", in: "header", required: false, description, schema: { type: "string" } }

/** `Prefer: wait=N` (RFC 7240 §4.3), in the document of an endpoint: a typed client need not pass it, and an unreadable value is ignored. */
export const preferring = OpenApi.annotations({
  transform: (operation) => ({ ...operation, parameters: [...operation.parameters, parameter] })
})

/** The same of an endpoint that is also answered as a stream of states. */
export const preferringOrFollowing = (states: string) =>
  OpenApi.annotations({
    transform: ({ parameters, responses: { 200: answer, ...responses }, ...operation }) => ({
      ...operation,
      parameters: [...parameters, parameter],
      responses: {
        200: {
          ...answer,
          content: { ...answer.content, "application/x-ndjson": { schema: { description: states, type: "string" } } }
        },
        ...responses
      }
    })
  })

/** The seconds that a header asks for, capped. */
export const waitOf = (header: string | undefined): Option.Option<number> =>
  Option.fromNullable(/(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(header ?? "")?.[1]).pipe(
    Option.map((seconds) => Math.min(Number(seconds), longestWait))
  )

/** Sets `Preference-Applied`: the wait was granted, for at most this many seconds. */
export const applied = (seconds: number) =>
  Effect.map(CurrentRequest, ({ headers }) => {
    headers["preference-applied"] = `wait=${seconds}`
  })
