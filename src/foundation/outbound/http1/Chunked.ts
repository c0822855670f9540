import * as Either from "effect/Either"

/** The state of a chunked body (RFC 9112 §7.1) between two pieces of input. */
interface State {
  readonly expects: "size" | "data" | "separator" | "trailer" | "nothing"
  /** The unfinished line, as text. */
  readonly line: string
  /** Bytes of the chunk still to come. */
  readonly left: number
  /** Bytes of trailer lines so far. */
  readonly trailers: number
}

/** The result of a piece of input: the state after it, and the body bytes in it. */
interface Step {
  readonly state: State
  readonly data: ReadonlyArray<Uint8Array>
  /** Bytes of the input that belong to the body. */
  readonly used: number
}

/** A chunked body before its first byte. */
export const initial: State = { expects: "size", line: "", left: 0, trailers: 0 }

const longestLine = 4096
const longestTrailers = 16_384
const isSize = /^([\da-f]{1,12})[\t ]*(?:;.*)?$/i

const endLine = (state: State, line: string): Either.Either<State, string> => {
  switch (state.expects) {
    case "size": {
      const size = isSize.exec(line)?.[1]
      if (size === undefined) return Either.left("The response has a malformed chunk")
      const left = Number.parseInt(size, 16)
      return Either.right({ ...state, expects: left === 0 ? "trailer" : "data", line: "", left })
    }
    case "trailer":
      return Either.right({ ...state, expects: line === "" ? "nothing" : "trailer", line: "" })
    default:
      return line === ""
        ? Either.right({ ...state, expects: "size", line: "" })
        : Either.left("The response has a malformed chunk")
  }
}

const readLine = (state: State, bytes: Uint8Array): Either.Either<readonly [State, number], string> => {
  const newline = bytes.indexOf(0x0a)
  const end = newline === -1 ? bytes.length : newline
  const trailers = state.expects === "trailer" ? state.trailers + end : 0
  if (state.line.length + end > longestLine || trailers > longestTrailers) {
    return Either.left("The response has an oversized chunk line")
  }
  const line = state.line + String.fromCharCode(...bytes.subarray(0, end))
  if (newline === -1) return Either.right([{ ...state, line, trailers }, end])
  return Either.map(endLine({ ...state, trailers }, line.replace(/\r$/, "")), (next) => [next, end + 1])
}

/** Takes the next piece of input; bytes after the last chunk are left alone. */
export const step = (before: State, input: Uint8Array): Either.Either<Step, string> => {
  const data: Array<Uint8Array> = []
  let state = before
  let at = 0
  while (at < input.length && state.expects !== "nothing") {
    if (state.expects === "data") {
      const part = input.subarray(at, at + state.left)
      const left = state.left - part.length
      data.push(part)
      state = { ...state, left, expects: left === 0 ? "separator" : "data" }
      at += part.length
    } else {
      const read = readLine(state, input.subarray(at))
      if (Either.isLeft(read)) return Either.left(read.left)
      state = read.right[0]
      at += read.right[1]
    }
  }
  return Either.right({ state, data, used: at })
}
