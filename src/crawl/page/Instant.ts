import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

/** Zone names that dates on the web carry, as offsets (RFC 822 §5, and Europe's). */
const zones: Readonly<Record<string, string>> = {
  gmt: "+0000",
  utc: "+0000",
  ut: "+0000",
  z: "+0000",
  est: "-0500",
  edt: "-0400",
  cst: "-0600",
  cdt: "-0500",
  mst: "-0700",
  mdt: "-0600",
  pst: "-0800",
  pdt: "-0700",
  bst: "+0100",
  cet: "+0100",
  cest: "+0200",
  eet: "+0200",
  eest: "+0300"
}

const isoDate = /^\d{4}-\d{2}-\d{2}/
const zone = / ?\b([a-z]+)$/i

/** The date with a time of day and its zone as an offset; one without a zone is meant in UTC. */
const explicit = (text: string): string => {
  const offset = zones[zone.exec(text)?.[1]?.toLowerCase() ?? ""]
  const named = offset === undefined ? text : text.replace(zone, ` ${offset}`)
  if (isoDate.test(text))
    return named
      .toUpperCase()
      .replace(/^(\S+) (\d)/, "$1T$2")
      .replace(" ", "")
  const timed = named.includes(":") ? named : `${named} 00:00`
  return /[+-]\d{2}:?\d{2}$/.test(timed) ? timed : `${timed} +0000`
}

/** Milliseconds since the epoch of a date in ISO 8601, RFC 822 or RFC 850 form; null when it is none of these. */
export const instant = (text: string): number | null => {
  const date = text.trim()
  if (date.length > 64 || !/\d/.test(date)) return null
  return Option.getOrNull(Option.map(DateTime.make(explicit(date)), DateTime.toEpochMillis))
}
