import type { Category } from "../Domain.ts"
import { accessibilityPage, accessibilityStructure } from "./Accessibility.ts"
import { accessibilityAria, accessibilityNames } from "./Elements.ts"
import type { Guidance } from "./Guidance.ts"
import { images, loading, script } from "./Performance.ts"
import { search } from "./Search.ts"
import { headers, trust } from "./Trust.ts"

/** Audits of Lighthouse 6 to 12, each with the successor that has its guidance. */
const aliases: Readonly<Record<string, string>> = {
  "render-blocking-resources": "render-blocking-insight",
  "speed-index": "render-blocking-insight",
  "first-meaningful-paint": "render-blocking-insight",
  "critical-request-chains": "network-dependency-tree-insight",
  "uses-rel-preload": "network-dependency-tree-insight",
  "uses-rel-preconnect": "network-dependency-tree-insight",
  "preload-fonts": "font-display-insight",
  "font-display": "font-display-insight",
  "largest-contentful-paint-element": "lcp-breakdown-insight",
  "lcp-phases-insight": "lcp-breakdown-insight",
  "prioritize-lcp-image": "lcp-discovery-insight",
  "preload-lcp-image": "lcp-discovery-insight",
  "lcp-lazy-loaded": "lcp-discovery-insight",
  redirects: "document-latency-insight",
  "server-response-time": "document-latency-insight",
  "uses-text-compression": "document-latency-insight",
  "uses-long-cache-ttl": "cache-insight",
  "uses-http2": "modern-http-insight",
  "third-party-summary": "third-parties-insight",
  "third-party-facades": "third-parties-insight",
  "layout-shift-elements": "cls-culprits-insight",
  "layout-shifts": "cls-culprits-insight",
  viewport: "viewport-insight",
  "content-width": "viewport-insight",
  "modern-image-formats": "image-delivery-insight",
  "uses-webp-images": "image-delivery-insight",
  "uses-optimized-images": "image-delivery-insight",
  "uses-responsive-images": "image-delivery-insight",
  "uses-responsive-images-snapshot": "image-delivery-insight",
  "efficient-animated-content": "image-delivery-insight",
  "legacy-javascript": "legacy-javascript-insight",
  "duplicated-javascript": "duplicated-javascript-insight",
  "dom-size": "dom-size-insight",
  "work-during-interaction": "inp-breakdown-insight",
  interactive: "mainthread-work-breakdown",
  "max-potential-fid": "mainthread-work-breakdown",
  "estimated-input-latency": "mainthread-work-breakdown",
  "first-cpu-idle": "mainthread-work-breakdown",
  "password-inputs-can-be-pasted-into": "paste-preventing-inputs",
  "duplicate-id-active": "duplicate-id-aria"
}

const known = new Map<string, Guidance>(
  [
    loading,
    script,
    images,
    search,
    trust,
    headers,
    accessibilityNames,
    accessibilityAria,
    accessibilityPage,
    accessibilityStructure
  ].flatMap((table) => Object.entries(table))
)

const reasons: Record<Category, string> = {
  performance: "It makes the page slower to load or to react.",
  accessibility: "It keeps some people from using the page.",
  best_practices: "It weakens the safety or the reliability of the page.",
  seo: "It makes the page harder to find in search."
}

/** Guidance for an unknown check, from the words of its id. */
const fallback = (auditId: string, category: Category): Guidance => {
  const words = auditId.replace(/-insight$/, "").replace(/[-_]+/g, " ")
  return {
    summary: `The check "${words}" fails`,
    why: reasons[category],
    goal: "Make the Lighthouse check that the evidence names pass",
    steps: [
      "Read the public Lighthouse documentation of this check and find what the evidence shows in the code.",
      "Change the source that produces it, in the smallest way that makes the check pass."
    ]
  }
}

/** Whether a check has its own guidance; any other id is untrusted text of the report. */
export const isGuided = (auditId: string): boolean => known.has(auditId) || Object.hasOwn(aliases, auditId)

/** Guidance for a failed check: constant text, except for the id of an unknown check. */
export const guidanceFor = (auditId: string, category: Category): Guidance =>
  known.get(auditId) ??
  known.get(Object.hasOwn(aliases, auditId) ? (aliases[auditId] ?? "") : "") ??
  fallback(auditId, category)

/** The ids with their own guidance. */
export const guidedAudits: ReadonlyArray<string> = [...known.keys(), ...Object.keys(aliases)]
