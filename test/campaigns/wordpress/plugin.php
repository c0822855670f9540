<?php
// What a plugin for search engines does, by the same calls: a meta field of posts that the REST API may write, shown in the head of the page.
add_action('init', function () {
	register_post_meta('post', '_seo_description', [
		'auth_callback' => fn () => current_user_can('edit_posts'),
		'show_in_rest' => true,
		'single' => true,
		'type' => 'string',
	]);
});
add_action('wp_head', function () {
	if (is_singular('post')) {
		printf('<meta name="description" content="%s">', esc_attr(get_post_meta(get_the_ID(), '_seo_description', true)));
	}
});
// As some plugins for security do, OPTIONS says nothing while the file is there.
add_filter('rest_pre_serve_request', function ($served, $result, $request) {
	if ($request->get_method() === 'OPTIONS' && file_exists(__DIR__ . '/hidden')) {
		echo '{}';
		return true;
	}
	return $served;
}, 10, 3);
