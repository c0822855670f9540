import { signal } from "@preact/signals"
import { redeem } from "./api/Session.ts"
import { codeOf, hashOf, type Route, routeOf } from "./Routes.ts"

/** Where the reader is. */
export const route = signal<Route>(routeOf(location.hash))

/** Whether anybody looks at this tab; nothing is asked for while it is hidden. */
export const isVisible = signal(!document.hidden)

/** Milliseconds since 1970, as often as relative times need it. */
export const now = signal(Date.now())

/** How many reads the screen waits for before it has something to show. */
export const waiting = signal(0)

/** Counts a read that the screen waits for. It ends once, and only after what was read is on the screen and may have begun further reads. */
export const wait = (): (() => void) => {
  waiting.value++
  let isOpen = true
  return () => {
    if (isOpen) setTimeout(() => waiting.value--)
    isOpen = false
  }
}

/** What a screen reader is told beside what is on the screen. */
export const announcement = signal("")

/** Goes to another screen. */
export const go = (...path: Parameters<typeof hashOf>): void => {
  location.hash = hashOf(...path)
}

/** Changes the filters of the screen without a step in the history. */
export const filter = (filters: Readonly<Record<string, string | null>>): void => {
  history.replaceState(null, "", hashOf(route.value.segments, filters))
  route.value = routeOf(location.hash)
}

/** Changes some filters of the screen, and leaves the others as they are. */
export const refine = (changes: Readonly<Record<string, string | null>>): void =>
  filter({ ...Object.fromEntries(route.value.query), ...changes })

/** A code is a secret, so the address loses it before anything else happens. */
const arrive = () => {
  const code = codeOf(location.hash)
  if (code !== null) {
    history.replaceState(null, "", hashOf(["sites"]))
    void redeem(code)
  }
  route.value = routeOf(location.hash)
}

/** Follows the address, the clock, and whether the tab is seen. */
export const start = (): void => {
  arrive()
  addEventListener("hashchange", arrive)
  document.addEventListener("visibilitychange", () => {
    now.value = Date.now()
    isVisible.value = !document.hidden
  })
  setInterval(() => {
    if (isVisible.value) now.value = Date.now()
  }, 15_000)
}
