import { effect, signal } from "@preact/signals"
import type { Project } from "./api/Contract.ts"
import { join, redeem } from "./api/Session.ts"
import { codeOf, hashOf, type Route, routeOf } from "./Routes.ts"

/** The current route. */
export const route = signal<Route>(routeOf(location.hash))

/** Whether the tab is visible; a hidden tab sends no requests. */
export const isVisible = signal(!document.hidden)

/** The current time in milliseconds since 1970, updated often enough for relative times. */
export const now = signal(Date.now())

/** Number of pending reads that the screen waits for. */
export const waiting = signal(0)

/** The site that is open, or was open last. */
export const openSite = signal<Project | null>(null)

/** Whether the screen is new and has not shown its data yet. */
export const isFresh = signal(true)

/** Registers a pending read; the returned function marks it as rendered, after further reads may have begun. */
export const wait = (): (() => void) => {
  waiting.value++
  let isOpen = true
  return () => {
    if (isOpen) setTimeout(() => waiting.value--)
    isOpen = false
  }
}

/** A message for screen readers only. It is gone on the next screen, unless the action that leads there gave it. */
export const announcement = signal("")

/** Whether the message is of the action in progress. */
let isJustSaid = false

/** Whether the next screen keeps the message. */
let isKept = false

/** Goes to another screen. */
export const go = (...path: Parameters<typeof hashOf>): void => {
  isKept = isJustSaid
  location.hash = hashOf(...path)
}

/** Replaces the filters of the screen without a new history entry. */
export const filter = (filters: Readonly<Record<string, string | null>>): void => {
  history.replaceState(null, "", hashOf(route.value.segments, filters))
  route.value = routeOf(location.hash)
}

/** Changes some filters of the screen and keeps the others. */
export const refine = (changes: Readonly<Record<string, string | null>>): void =>
  filter({ ...Object.fromEntries(route.value.query), ...changes })

/** Removes a sign-in code, a secret, from the URL before anything else. */
const arrive = () => {
  const code = codeOf(location.hash)
  if (code !== null) {
    history.replaceState(null, "", hashOf(["sites"]))
    void redeem(code)
  }
  route.value = routeOf(location.hash)
}

/** Follows the URL, the clock and the visibility of the tab. */
export const start = (): void => {
  join(codeOf(location.hash) === null)
  arrive()
  effect(() => {
    isJustSaid = announcement.value !== ""
    queueMicrotask(() => {
      isJustSaid = false
    })
  })
  addEventListener("hashchange", () => {
    if (!isKept) announcement.value = ""
    isKept = false
    arrive()
  })
  document.addEventListener("visibilitychange", () => {
    now.value = Date.now()
    isVisible.value = !document.hidden
  })
  setInterval(() => {
    if (isVisible.value) now.value = Date.now()
  }, 15_000)
}

/** The documentation opens with `noopener`: a page opened by this one would get a copy of its stored key. */
export const docs = new URL("../docs", import.meta.url).href
