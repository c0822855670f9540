import * as Either from "effect/Either"
import type { OutboundRequest } from "../Outbound.ts"
import { type Head, members } from "./ResponseHead.ts"

/** What marks the end of a body. */
export type Framing =
  | { readonly _tag: "Length"; readonly bytes: number }
  | { readonly _tag: "Chunked" }
  | { readonly _tag: "UntilClose" }

const none: Framing = { _tag: "Length", bytes: 0 }

const isLength = /^\d{1,15}$/

/** The framing of a response by RFC 9112 §6.3: its method and status first, then Transfer-Encoding, then Content-Length, else the connection's end. */
export const of = (method: OutboundRequest["method"], head: Head): Either.Either<Framing, string> => {
  if (method === "HEAD" || head.status === 204 || head.status === 304) return Either.right(none)
  const [coding, ...others] = members(head, "transfer-encoding").map((member) => member.toLowerCase())
  if (coding === "chunked" && others.length === 0) return Either.right({ _tag: "Chunked" })
  if (coding !== undefined) return Either.left("The response has a transfer coding other than chunked")
  const [length, ...repeated] = members(head, "content-length")
  if (length === undefined) return Either.right({ _tag: "UntilClose" })
  if (!isLength.test(length) || repeated.some((other) => other !== length)) {
    return Either.left("The response has a malformed Content-Length")
  }
  return Either.right({ _tag: "Length", bytes: Number(length) })
}
