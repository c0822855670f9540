import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { parseCidr } from "../../../src/foundation/outbound/Address.ts"
import { type Outbound, type OutboundRequest, readHost } from "../../../src/foundation/outbound/Outbound.ts"
import { make } from "../../../src/foundation/outbound/OutboundLive.ts"
import * as Vet from "../../../src/foundation/outbound/Vet.ts"

/** A resolver that knows only these names. */
export const names = (known: Readonly<Record<string, ReadonlyArray<string>>>): Context.Tag.Service<Vet.Resolver> => ({
  addresses: (name) =>
    Effect.mapError(
      Effect.fromNullable(known[name]),
      () => new Vet.ResolveFailed({ message: `${name} has no address` })
    )
})

/** The client under test; by default it may reach 127.0.0.0/8 and resolves `site.test` to it. */
export const client = (
  options: {
    readonly allowed?: ReadonlyArray<string>
    readonly resolver?: Context.Tag.Service<Vet.Resolver>
    readonly authorities?: ReadonlyArray<string>
    /** A URL that a person typed. */
    readonly typed?: string
  } = {}
): Context.Tag.Service<Outbound> =>
  make({
    allowed: (options.allowed ?? ["127.0.0.0/8"]).map((text) => Option.getOrThrow(parseCidr(text))),
    resolver: options.resolver ?? names({ "site.test": ["127.0.0.1"] }),
    authorities: options.authorities ?? [],
    ...(options.typed === undefined ? {} : { typed: Vet.make(Either.getOrThrow(readHost(new URL(options.typed)))) })
  })

/** A GET with generous limits. */
export const get = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url: new URL(url),
  method: "GET",
  deadline: "5 seconds",
  keepBytes: 1_000_000,
  maxBytes: 10_000_000,
  decode: true,
  ...more
})

/** Bytes as text. */
export const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

export { eventually } from "../../waiting.ts"
