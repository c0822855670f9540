import type { GuidanceTable } from "./Guidance.ts"

const insights = "https://developer.chrome.com/docs/performance/insights"

/** How the document and what it needs first arrive. */
export const loading: GuidanceTable = {
  "render-blocking-insight": {
    summary: "Requests delay the first paint",
    why: "Nothing is drawn until these stylesheets and scripts have arrived, so visitors look at an empty page for longer.",
    goal: "Get the listed requests out of the way of the first paint",
    steps: [
      "Load each listed script that the first paint does not need with defer, async or type=module, keeping the order of scripts that depend on each other.",
      "Inline the few rules that the first screen needs and load the rest of the CSS without blocking, for example with a media attribute that matches later.",
      "Remove or merge requests that no longer serve a purpose; self-host small files that are fetched from another origin."
    ],
    docs: `${insights}/render-blocking`
  },
  "lcp-discovery-insight": {
    summary: "The browser finds the main content too late",
    why: "The largest element is what visitors wait for; a late discovery delays it by whole round trips.",
    goal: "Make the LCP resource discoverable in the first HTML response and fetch it with high priority",
    steps: [
      "Find the template that renders the listed element and make sure its image is an img (or a preload link) in the server-sent HTML, not set by script or CSS.",
      "Remove loading=lazy from that image and set fetchpriority=high on it, and on no other image.",
      "If a stylesheet must reference the image, add one preload link with the same URL (and imagesrcset where the image has a srcset)."
    ],
    docs: `${insights}/lcp-discovery`
  },
  "lcp-breakdown-insight": {
    summary: "The main content takes too long to appear",
    why: "Largest Contentful Paint is when visitors believe that the page has loaded; it is a Core Web Vital.",
    goal: "Shorten the longest part of the LCP time that the evidence lists",
    steps: [
      "Compare the four parts; as a guide, first byte and load duration deserve about 40 % each, the two delays less than 10 % each.",
      "First byte too long: cache or speed up the HTML response. Load delay: put the resource into the HTML with fetchpriority=high.",
      "Load duration: serve a smaller file in a modern format. Render delay: remove blocking scripts and styles in front of the element."
    ],
    docs: `${insights}/lcp-breakdown`
  },
  "document-latency-insight": {
    summary: "The HTML document arrives late",
    why: "Everything else waits for the first response, so its redirects, server time and missing compression are paid in full.",
    goal: "Deliver the HTML without redirects, quickly and compressed",
    steps: [
      "Link straight to the final address and remove the redirects in front of it that the application or server configuration adds.",
      "Profile the handler of this page; cache what does not change per visitor and remove sequential queries until it answers within 600 ms.",
      "Turn on Brotli or gzip for text responses in the server or CDN configuration."
    ],
    docs: `${insights}/document-latency`
  },
  "network-dependency-tree-insight": {
    summary: "Critical requests wait for one another in a chain",
    why: "Every link of the chain costs at least one round trip before the page can be drawn.",
    goal: "Shorten the longest chain of critical requests",
    steps: [
      "Follow the listed chain and find what requests each next link: @import in CSS, scripts that load scripts, fonts inside stylesheets.",
      "Reference the later links directly from the HTML (link, script or preload) so that they load side by side.",
      "Defer the links that the first screen does not need; add a preconnect for the one or two foreign origins that stay critical."
    ],
    docs: `${insights}/network-dependency-tree`
  },
  "cache-insight": {
    summary: "Static files are cached too briefly or not at all",
    why: "Returning visitors download the same files again, which costs them time and data.",
    goal: "Give versioned static files a long cache lifetime",
    steps: [
      "Find where the listed files are served: web server, CDN or framework configuration. Leave files of other companies alone.",
      "Put a content hash into the file names if the build does not do so yet.",
      "Serve hashed files with Cache-Control: public, max-age=31536000, immutable, and keep HTML at no-cache."
    ],
    docs: `${insights}/cache`
  },
  "modern-http-insight": {
    summary: "Files are served over HTTP/1.1",
    why: "HTTP/1.1 loads few files at a time per connection; HTTP/2 and 3 load them side by side.",
    goal: "Serve the listed requests over HTTP/2 or HTTP/3",
    steps: [
      "Find which server, proxy or CDN answers the listed addresses.",
      "Turn on HTTP/2 (and HTTP/3 where it is offered) in its TLS listener.",
      "Check with curl -sI --http2 that the protocol of the answer is HTTP/2."
    ],
    docs: `${insights}/modern-http`
  },
  "font-display-insight": {
    summary: "Text stays invisible while fonts load",
    why: "Visitors cannot read anything until the font has arrived, and the text may jump when it does.",
    goal: "Show text at once in a fallback font",
    steps: [
      "Add font-display: swap (or optional) to every @font-face rule of the listed fonts.",
      "For hosted font services add the display=swap parameter to the stylesheet address.",
      "Match the fallback with size-adjust and ascent-override so that the swap does not move the layout."
    ],
    docs: `${insights}/font-display`
  },
  "third-parties-insight": {
    summary: "Code of other companies slows the page down",
    why: "Third-party code competes with the page for network and processor time, and its speed is not in your hands.",
    goal: "Reduce what third parties cost while the page loads",
    steps: [
      "List what each third party in the evidence is needed for, and remove those without a purpose.",
      "Load the others after the page is usable: async or defer, on consent, or on first interaction.",
      "Replace heavy embeds (video, chat, maps) with a light placeholder that loads the embed on click."
    ],
    docs: `${insights}/third-parties`
  },
  "cls-culprits-insight": {
    summary: "Content jumps while the page loads",
    why: "Visitors lose their place or press the wrong thing when elements move; Cumulative Layout Shift is a Core Web Vital.",
    goal: "Reserve the final space of the elements that move others",
    steps: [
      "For each listed element find what pushes it: an image without size, an embed, a late banner, a font swap.",
      "Give images, videos, frames and slots width and height or an aspect-ratio in the first HTML or CSS.",
      "Insert late content below the fold or as an overlay, and animate with transform instead of top, height or margin."
    ],
    docs: `${insights}/cls-culprit`
  },
  "viewport-insight": {
    summary: "The viewport is not set up for phones",
    why: "Phones then render a desktop width and wait up to 300 ms after every tap to see whether it is a double tap.",
    goal: "Declare a mobile viewport",
    steps: [
      "Add one meta element with name=viewport and content=width=device-width, initial-scale=1 to the head of the base template.",
      "Remove other viewport elements and any user-scalable=no or maximum-scale restriction.",
      "Check the page at a width of 360 CSS pixels for horizontal scrolling."
    ],
    docs: `${insights}/viewport`
  },
  "bf-cache": {
    summary: "Going back reloads the whole page",
    why: "Pages in the back/forward cache show again at once; this one is loaded again.",
    goal: "Remove the listed reasons that keep the page out of the back/forward cache",
    steps: [
      "Replace unload handlers with pagehide, and register beforeunload only while there is unsaved work.",
      "Serve the page without Cache-Control: no-store unless it shows private data.",
      "Close open connections (WebSocket, IndexedDB transactions) on pagehide and reopen them on pageshow."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/performance/bf-cache/"
  },
  "total-byte-weight": {
    summary: "The page downloads too much",
    why: "Large downloads are slow on mobile networks and cost visitors money.",
    goal: "Bring the total download of the page below 1,600 KiB",
    steps: [
      "Take the listed files from the largest down and ask whether the first view needs each of them.",
      "Compress and resize images and video; split and minify scripts and styles.",
      "Load the rest lazily: below the fold, on interaction, or on the pages that use it."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/performance/total-byte-weight/"
  }
}
