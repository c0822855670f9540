import { plural } from "../parts/Formats.ts"

const units: Readonly<Record<string, string>> = { d: "day", h: "hour", m: "minute" }

/** An interval of the API in words: `7d` is `every week`, `6h` is `every 6 hours`. */
export const everyOf = (every: string): string => {
  const [, size = "", unit = ""] = /^(\d+)([mhd])$/.exec(every) ?? []
  if (every === "7d") return "every week"
  return size === "1" ? `every ${units[unit]}` : `every ${plural(Number(size), units[unit] ?? "")}`
}

/** The choices for a schedule; an interval of another program stays a choice of its schedule. */
export const choicesWith = (every: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...new Set(["6h", "12h", "1d", "7d", "30d", every])].map((one) => [one, everyOf(one)]))
