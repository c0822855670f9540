import type * as Headers from "@effect/platform/Headers"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { PublicBase } from "../../foundation/http/PublicUrl.ts"
import { CorsOrigins } from "../server/Settings.ts"

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i

/**
 * Whether a request comes from where agents are: a page of a foreign site, in a browser beside a node on the loopback, names its own origin, or after DNS
 * rebinding its own host (MCP, Streamable HTTP, security).
 */
export const make = Effect.map(Effect.all([PublicBase, CorsOrigins]), ([base, origins]) => {
  const known = [...Option.toArray(Option.map(base, ({ origin }) => origin)), ...origins]
  const hosts = new Set(known.map((origin) => new URL(origin).host))
  const isKnownOrigin = (origin: string) =>
    known.includes(origin) || (URL.canParse(origin) && loopback.test(new URL(origin).host))
  return ({ host = "", origin }: Headers.Headers) =>
    (loopback.test(host) || hosts.has(host.toLowerCase())) && (origin === undefined || isKnownOrigin(origin))
})
