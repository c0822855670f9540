import type { Doc } from "./Site.ts"

/** What the scripts of a page do to it. The site's own document is the one that search engines index. */
export interface ScriptPlan {
  /** The document as the server sends it. */
  readonly sent: Doc
  /** The document after its scripts. */
  readonly shown: Doc
  /** The script, for real browsers; it makes one of the other. */
  readonly code: string
  /** Lines of its uncaught errors. */
  readonly errors: ReadonlyArray<string>
  /** URLs that it fetches. */
  readonly fetched: ReadonlyArray<string>
  /** Where it leads to instead of showing a document. */
  readonly redirect: string | null
  /** It never ends. */
  readonly hangs: boolean
}

/** A page that runs a script that does nothing yet. */
export const idle = (doc: Doc): ScriptPlan => ({
  code: "void 0",
  errors: [],
  fetched: [],
  hangs: false,
  redirect: null,
  sent: structuredClone(doc),
  shown: structuredClone(doc)
})

const text = JSON.stringify

/** Scripts by what they do, in the words of the document's model. */
export const scripts = {
  appendLink: (href: string, name: string) =>
    `document.querySelector("nav ul").insertAdjacentHTML("beforeend", ${text(`<li><a href="${href}">${name}</a></li>`)})`,
  appendToHead: (markup: string) => `document.head.insertAdjacentHTML("beforeend", ${text(markup)})`,
  attribute: (selector: string, name: string, value: string) =>
    `for (const found of document.querySelectorAll(${text(selector)})) found.setAttribute(${text(name)}, ${text(value)})`,
  fetch: (url: string) => `fetch(${text(url)}).catch(() => {})`,
  heading: (value: string) =>
    `{ const found = document.querySelector("h1") ?? document.querySelector("nav").insertAdjacentElement("afterend", document.createElement("h1")); found.textContent = ${text(value)} }`,
  hang: "for (;;);",
  leave: (url: string) => `location.href = ${text(url)}`,
  remove: (selector: string) => `for (const found of document.querySelectorAll(${text(selector)})) found.remove()`,
  removeAttribute: (selector: string, name: string) =>
    `for (const found of document.querySelectorAll(${text(selector)})) found.removeAttribute(${text(name)})`,
  throwError: (message: string) => `throw new Error(${text(message)})`,
  title: (value: string) => `document.title = ${text(value)}`,
  words: (value: ReadonlyArray<string>) => `document.querySelector("nav ~ p").textContent = ${text(value.join(" "))}`
} as const
