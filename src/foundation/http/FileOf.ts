import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Stream from "effect/Stream"
import { Invalid } from "../schema/DomainError.ts"

/** A file on its way in: its bytes, and how many there will be, where the sender says so. */
export interface FileBody<E> {
  readonly length: number | undefined
  readonly bytes: Stream.Stream<Uint8Array, E>
}

const brokeOff = Invalid.of("body", "ended too early")

/** The file in a request's body, as it arrives. A body that announces no bytes has no stream. */
export const fileOf = (request: HttpServerRequest.HttpServerRequest): FileBody<Invalid> => {
  const announced = request.headers["content-length"]
  const length = announced === undefined ? undefined : Number(announced)
  const isEmpty = length === 0 || (length === undefined && request.headers["transfer-encoding"] === undefined)
  return {
    bytes: isEmpty ? Stream.empty : Stream.mapError(request.stream, () => brokeOff),
    length
  }
}
