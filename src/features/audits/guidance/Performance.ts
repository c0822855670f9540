import type { GuidanceTable } from "./Guidance.ts"

/** Images and video. */
export const images: GuidanceTable = {
  "image-delivery-insight": {
    summary: "Images are larger than they need to be",
    why: "Images are most of what pages download; smaller files show sooner, above all on phones.",
    goal: "Serve the listed images in the size and format that the page shows",
    steps: [
      "Find the template or component of each listed image and how its file is produced.",
      "Offer widths for common screens with srcset and sizes, and AVIF or WebP with the current format as fallback.",
      "Recompress at a quality of about 75 to 85; replace animated GIF with video."
    ],
    docs: "https://developer.chrome.com/docs/performance/insights/image-delivery"
  },
  "unsized-images": {
    summary: "Images have no width and height",
    why: "Without a size the browser reserves no space for the image and the content below jumps when it arrives.",
    goal: "Reserve the space of the listed images before they load",
    steps: [
      "Find the template or component that renders each listed image.",
      "Set the width and height attributes to the intrinsic size of the file.",
      "In CSS use max-width: 100% and height: auto, so that the attributes give the ratio and not the size."
    ],
    docs: "https://web.dev/articles/optimize-cls#images_without_dimensions"
  },
  "offscreen-images": {
    summary: "Images outside the first screen load at once",
    why: "They compete with what the visitor sees first.",
    goal: "Load the listed images only when they come near the screen",
    steps: [
      "Add loading=lazy to the listed images and frames.",
      "Leave images of the first screen eager, the largest one above all.",
      "Keep width and height on every lazy image."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/performance/offscreen-images/"
  },
  "image-aspect-ratio": {
    summary: "Images are shown distorted",
    why: "A picture that is stretched or squeezed looks wrong and costs trust.",
    goal: "Show the listed images in their natural ratio",
    steps: [
      "Compare the displayed and the natural size that the evidence gives.",
      "Correct the width and height attributes, or set only one of them in CSS.",
      "Where the box is fixed, use object-fit: cover or contain."
    ],
    docs: "https://developer.chrome.com/docs/lighthouse/best-practices/image-aspect-ratio/"
  },
  "image-size-responsive": {
    summary: "Images are too small for the screen and look blurred",
    why: "On dense screens a file with too few pixels is visibly soft.",
    goal: "Serve the listed images with enough pixels for dense screens",
    steps: [
      "Compare the displayed size with the size of the file that the evidence gives.",
      "Produce the image at twice the displayed size and offer both through srcset.",
      "Use SVG for logos and icons."
    ],
    docs: "https://web.dev/articles/serve-responsive-images"
  }
}

const insights = "https://developer.chrome.com/docs/performance/insights"

/** Loading of the document and its first resources. */
export const loading: GuidanceTable = {
  "render-blocking-insight": {
    summary: "Requests delay the first paint",
    why: "Nothing is drawn until these stylesheets and scripts have arrived, so visitors look at an empty page for longer.",
    goal: "Get the listed requests out of the way of the first paint",
    steps: [
      "Load each listed script that the first paint does not need with defer, async or type=module, keeping the order of scripts that depend on each other.",
      "Inline the few styles that the first screen needs and load the rest of the CSS without blocking, for example with a media attribute that matches later.",
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
      "Link straight to the final URL and remove the redirects in front of it that the application or server configuration adds.",
      "Profile the handler of this page; cache what does not change per visitor and remove sequential queries until it responds within 600 ms.",
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
      "Find which server, proxy or CDN serves the listed URLs.",
      "Turn on HTTP/2 (and HTTP/3 where it is offered) in its TLS listener.",
      "Check with curl -sI --http2 that the protocol of the response is HTTP/2."
    ],
    docs: `${insights}/modern-http`
  },
  "font-display-insight": {
    summary: "Text stays invisible while fonts load",
    why: "Visitors cannot read anything until the font has arrived, and the text may jump when it does.",
    goal: "Show text at once in a fallback font",
    steps: [
      "Add font-display: swap (or optional) to every @font-face block of the listed fonts.",
      "For hosted font services add the display=swap parameter to the stylesheet URL.",
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

const docs = "https://developer.chrome.com/docs/lighthouse/performance"
const insightsPages = "https://developer.chrome.com/docs/performance/insights"

/** Scripts, styles and the main thread. */
export const script: GuidanceTable = {
  "unused-javascript": {
    summary: "Scripts contain code that the page does not run",
    why: "Unused code is downloaded, parsed and compiled before the page becomes usable.",
    goal: "Ship only the JavaScript that this page runs",
    steps: [
      "Use the bundler's analysis to see which modules fill the listed files.",
      "Load routes, dialogs and heavy widgets with dynamic import() where they are used.",
      "Import single functions instead of whole libraries, and remove dependencies that nothing uses any more."
    ],
    docs: `${docs}/unused-javascript/`
  },
  "unused-css-rules": {
    summary: "Stylesheets contain CSS that the page does not use",
    why: "Unused CSS is downloaded and parsed before the first paint.",
    goal: "Ship only the CSS that this page needs",
    steps: [
      "Find which build step produces the listed stylesheets.",
      "Split styles by route or component, or let the build remove selectors that no template uses.",
      "Keep selectors that scripts add at run time on a safe list, and compare screenshots before and after."
    ],
    docs: `${docs}/unused-css-rules/`
  },
  "unminified-javascript": {
    summary: "Scripts are not minified",
    why: "Comments and white space are downloaded and parsed for nothing.",
    goal: "Minify the listed scripts",
    steps: [
      "Find how the listed scripts are built; files that are copied as they are bypass the bundler.",
      "Turn minification on for production builds, or add the files to the bundle.",
      "Check that the deployment runs the production build and that source maps still load."
    ],
    docs: `${docs}/unminified-javascript/`
  },
  "unminified-css": {
    summary: "Stylesheets are not minified",
    why: "Comments and white space are downloaded in front of the first paint.",
    goal: "Minify the listed stylesheets",
    steps: [
      "Find how the listed stylesheets are built or copied.",
      "Turn CSS minification on for production builds.",
      "Check that the deployment runs the production build."
    ],
    docs: `${docs}/unminified-css/`
  },
  "legacy-javascript-insight": {
    summary: "Scripts carry code for outdated browsers",
    why: "Polyfills and transpiled syntax make scripts larger and slower for the browsers people use.",
    goal: "Stop shipping polyfills and transforms that current browsers do not need",
    steps: [
      "Find the browser target of the build (browserslist, Babel, TypeScript, bundler target).",
      "Raise it to browsers that support ES modules and drop polyfills for features they have.",
      "Rebuild the listed files; for a third-party file look for its modern build."
    ],
    docs: `${insightsPages}/legacy-javascript`
  },
  "duplicated-javascript-insight": {
    summary: "The same modules are shipped more than once",
    why: "Visitors download and parse the same code several times.",
    goal: "Ship each listed module once",
    steps: [
      "Find why each listed module is bundled twice: different versions in the lock file, or bundles built apart.",
      "Align the versions and deduplicate the lock file.",
      "Let the bundles share a common chunk."
    ],
    docs: `${insightsPages}/duplicated-javascript`
  },
  "bootup-time": {
    summary: "Scripts take long to start",
    why: "While scripts start up the page does not react to taps and typing.",
    goal: "Reduce the processor time of the listed scripts during load",
    steps: [
      "Record a performance profile of the load and find what the listed scripts do.",
      "Delay what the first view does not need: initialise on interaction or when idle.",
      "Remove or replace the most expensive libraries, third parties included."
    ],
    docs: `${docs}/bootup-time/`
  },
  "mainthread-work-breakdown": {
    summary: "The main thread is busy for too long",
    why: "A busy main thread delays painting and every reaction to the visitor.",
    goal: "Reduce the main-thread work of the listed scripts and of the largest groups that the evidence lists",
    steps: [
      "Record a performance profile of the load and find the longest tasks of the listed scripts and of the largest group.",
      "Script evaluation: ship less code, split it, start it later. Style and layout: fewer elements, simpler selectors, no layout reads after writes.",
      "Move heavy computation into a worker, and break tasks above 50 ms by yielding to the browser."
    ],
    docs: `${docs}/mainthread-work-breakdown/`
  },
  "long-tasks": {
    summary: "Long tasks block the main thread",
    why: "During a task of more than 50 ms the page does not react.",
    goal: "Break up or remove the listed long tasks",
    steps: [
      "Record a performance profile and find the functions inside the listed tasks.",
      "Do less: delay or drop work that the first view does not need.",
      "Split what remains by yielding between chunks (scheduler.yield or a timer) or move it into a worker."
    ],
    docs: "https://web.dev/articles/optimize-long-tasks"
  },
  "forced-reflow-insight": {
    summary: "Scripts force the browser to lay out the page repeatedly",
    why: "Reading sizes right after changing styles makes each change as slow as a full layout.",
    goal: "Remove the forced layouts that the evidence lists",
    steps: [
      "Find the listed functions and the layout reads in them (offsetWidth, getBoundingClientRect, scrollTop and the like).",
      "Read all sizes first, then write all styles; keep reads out of loops that write.",
      "Use ResizeObserver or IntersectionObserver instead of measuring by hand."
    ],
    docs: `${insightsPages}/forced-reflow`
  },
  "dom-size-insight": {
    summary: "The page has too many elements",
    why: "A large document makes every style calculation and layout slower and uses more memory.",
    goal: "Reduce the number and the depth of elements",
    steps: [
      "Find the component that renders the element with the most children in the evidence.",
      "Render long lists in pages or windows, and content that is hidden only when it opens.",
      "Remove wrapper elements that neither style nor script needs; use content-visibility: auto for sections below the fold."
    ],
    docs: `${insightsPages}/dom-size`
  },
  "inp-breakdown-insight": {
    summary: "The page reacts slowly to input",
    why: "Interaction to Next Paint is how long people wait after a tap or key; it is a Core Web Vital.",
    goal: "Shorten the longest part of the interaction that the evidence lists",
    steps: [
      "Input delay: break up the tasks at that time. Processing: do less inside the event handler.",
      "Show feedback first and yield before the expensive work.",
      "Presentation delay: make the change smaller, fewer elements, no forced layout."
    ],
    docs: `${insightsPages}/inp-breakdown`
  },
  "no-document-write": {
    summary: "Scripts use document.write()",
    why: "On slow connections document.write() delays the page by tens of seconds, and browsers may ignore it.",
    goal: "Replace document.write()",
    steps: [
      "Find the listed calls, in third-party snippets too.",
      "Create the elements with DOM methods, or load the script with async or defer.",
      "Ask for the asynchronous version of a snippet that is not yours."
    ],
    docs: `${docs}/no-document-write/`
  },
  "uses-passive-event-listeners": {
    summary: "Touch and wheel listeners block scrolling",
    why: "The browser waits for these listeners before it scrolls.",
    goal: "Make the listed listeners passive",
    steps: [
      "Find the listed addEventListener calls for touchstart, touchmove, wheel and mousewheel.",
      "Pass { passive: true } to those that never call preventDefault().",
      "For those that do, use the touch-action or overscroll-behavior CSS properties."
    ],
    docs: `${docs}/uses-passive-event-listeners/`
  },
  "non-composited-animations": {
    summary: "Animations run on the main thread",
    why: "Such animations stutter and can move the layout.",
    goal: "Animate only with transform and opacity",
    steps: [
      "Find the listed animations in the styles or scripts.",
      "Replace animated top, left, width, height, margin and colours with transform and opacity.",
      "Respect prefers-reduced-motion."
    ],
    docs: `${docs}/non-composited-animations/`
  }
}
