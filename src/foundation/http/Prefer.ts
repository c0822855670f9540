import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { CurrentRequest } from "./Request.ts"

/** The event that an endpoint waits for, and the longest wait. */
interface Wait {
  /** The end of the sentence "answer when …". */
  readonly when: string
  /** Seconds, below the time-outs of proxies, which begin at 60. */
  readonly most: number
}

/** The parameter, in the document of an endpoint. */
const parameterOf = ({ most, when }: Wait) => ({
  name: "prefer",
  in: "header",
  required: false,
  description: `\`wait=N\`: respond when ${when}, or after N seconds (at most ${most}), whichever comes first`,
  schema: { type: "string" }
})

/** Documents `Prefer: wait=N` (RFC 7240 §4.3) of an endpoint. A typed client need not pass the header, and an unreadable value is ignored. */
export const preferring = (wait: Wait) =>
  OpenApi.annotations({
    transform: (operation) => ({ ...operation, parameters: [...operation.parameters, parameterOf(wait)] })
  })

/** Documents `Prefer: wait=N` of an endpoint that can also return a stream of states. */
export const preferringOrFollowing = (wait: Wait, states: string) =>
  OpenApi.annotations({
    transform: ({ parameters, responses: { 200: answer, ...responses }, ...operation }) => ({
      ...operation,
      parameters: [...parameters, parameterOf(wait)],
      responses: {
        200: {
          ...answer,
          content: { ...answer.content, "application/x-ndjson": { schema: { description: states, type: "string" } } }
        },
        ...responses
      }
    })
  })

/** The seconds in a header, capped. */
export const waitOf = (header: string | undefined, { most }: Wait): Option.Option<number> =>
  Option.fromNullable(/(?:^|[,;])\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:[,;]|$)/i.exec(header ?? "")?.[1]).pipe(
    Option.map((seconds) => Math.min(Number(seconds), most))
  )

/** Sets `Preference-Applied`: the wait was granted, for at most this many seconds. */
export const applied = (seconds: number) =>
  Effect.map(CurrentRequest, ({ headers }) => {
    headers["preference-applied"] = `wait=${seconds}`
  })
