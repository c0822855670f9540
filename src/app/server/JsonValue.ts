import * as Option from "effect/Option"
import type { Steps } from "../../foundation/schema/Steps.ts"
import { marks } from "./JsonShape.ts"

/** Characters that the runtime's parser takes at once: some milliseconds, also where each field has another name. */
const usualPiece = 24_576

/** Characters looked through, for which one of the cost is counted: it is much quicker than parsing. */
const perCost = 16

const { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } = marks
const blanks = [9, 10, 13, 32]

/** The value of a short JSON text. Undefined, which JSON lacks, stands for what is not JSON. */
const parse = Option.liftThrowable((json: string): unknown => JSON.parse(json))
const parsed = (json: string) => Option.getOrUndefined(parse(json))

const afterBlanks = (json: string, from: number) => {
  let at = from
  while (blanks.includes(json.charCodeAt(at))) at += 1
  return at
}

const beforeBlanks = (json: string, to: number) => {
  let at = to
  while (blanks.includes(json.charCodeAt(at - 1))) at -= 1
  return at
}

/** The closing quote of the text that `from` opens; the end of the JSON if it is not closed. */
const textEnd = (json: string, from: number) => {
  for (let at = json.indexOf('"', from + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes += 1
    if (slashes % 2 === 0) return at
  }
  return json.length
}

/**
 * Reads JSON as `JSON.parse` does, of which a body of megabytes would take tens of milliseconds: short arrays and objects are parsed as they are, long ones by
 * their members, of which as many as fit make a piece.
 */
export const jsonValue = (json: string, piece = usualPiece): Steps<unknown> => {
  /** The end of the members from `from` on that make a piece, or of one that is longer; none where more is closed than was opened. */
  const pieceEnd = function* (from: number, to: number): Steps<number | undefined> {
    let depth = 0
    let end: number | undefined
    for (let at = from, counted = from; at < to; at++) {
      const code = json.charCodeAt(at)
      if (code === quote) at = textEnd(json, at)
      else if (code === openBrace || code === openBracket) depth += 1
      else if (code === closeBrace || code === closeBracket) depth -= 1
      else if (code === comma && depth === 0 && (end === undefined || at - from <= piece)) end = at
      if (depth < 0) return undefined
      if (end !== undefined && at - from > piece) return end
      if (at - counted < piece) continue
      yield (at - counted) / perCost
      counted = at
    }
    return end !== undefined && to - from > piece ? end : to
  }

  /** Calls `add` with each piece of the members; whether all of them are JSON. */
  const each = function* (from: number, to: number, add: (from: number, to: number) => Steps<boolean>): Steps<boolean> {
    if (afterBlanks(json, from) >= to) return true
    for (let at = from; ; ) {
      const end = yield* pieceEnd(at, to)
      if (end === undefined || afterBlanks(json, at) >= end || !(yield* add(at, end))) return false
      if (end === to) return true
      at = end + 1
    }
  }

  const array = function* (from: number, to: number): Steps<unknown> {
    const all: Array<unknown> = []
    const isArray = yield* each(from, to, function* (at, end) {
      if (end - at > piece) {
        const item = yield* value(at, end)
        return item !== undefined && all.push(item) > 0
      }
      yield end - at
      const items = parsed(`[${json.slice(at, end)}]`)
      if (!Array.isArray(items)) return false
      for (const item of items) all.push(item)
      return true
    })
    return isArray ? all : undefined
  }

  const object = function* (from: number, to: number): Steps<unknown> {
    const whole = {}
    // An assignment to `__proto__` would set the prototype.
    const set = (name: string, value: unknown) =>
      Object.defineProperty(whole, name, { configurable: true, enumerable: true, value, writable: true })
    const isObject = yield* each(from, to, function* (at, end) {
      if (end - at > piece) {
        const nameFrom = afterBlanks(json, at)
        const nameTo = textEnd(json, nameFrom) + 1
        const name = parsed(json.slice(nameFrom, nameTo))
        const between = afterBlanks(json, nameTo)
        if (typeof name !== "string" || json.charCodeAt(between) !== colon) return false
        const member = yield* value(between + 1, end)
        return member !== undefined && set(name, member) === whole
      }
      yield end - at
      const fields = parsed(`{${json.slice(at, end)}}`)
      if (typeof fields !== "object" || fields === null) return false
      for (const [name, field] of Object.entries(fields)) set(name, field)
      return true
    })
    return isObject ? whole : undefined
  }

  const value = function* (from: number, to: number): Steps<unknown> {
    if (to - from <= piece) {
      yield to - from
      return parsed(json.slice(from, to))
    }
    const first = afterBlanks(json, from)
    const last = beforeBlanks(json, to) - 1
    const [open, close] = [json.charCodeAt(first), json.charCodeAt(last)]
    if (open === openBracket) return close === closeBracket ? yield* array(first + 1, last) : undefined
    if (open === openBrace) return close === closeBrace ? yield* object(first + 1, last) : undefined
    return parsed(json.slice(from, to))
  }

  return value(0, json.length)
}
