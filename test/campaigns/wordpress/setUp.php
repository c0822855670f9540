<?php
// Makes users with application passwords, a post and a page, and says as JSON what they are. The first word is the structure of permalinks.
require getenv('WORDPRESS_ROOT') . '/wp-load.php';
global $wp_rewrite;
$wp_rewrite->set_permalink_structure($argv[1]);
flush_rewrite_rules(false);
$passwords = [];
foreach (['editor' => 'editor', 'colleague' => 'editor', 'author' => 'author', 'reader' => 'subscriber'] as $name => $role) {
	$user = wp_insert_user(['role' => $role, 'user_login' => $name, 'user_pass' => wp_generate_password()]);
	[$passwords[$name]] = WP_Application_Passwords::create_new_application_password($user, ['name' => 'Findable']);
}
$made = fn ($type, $title) => wp_insert_post([
	'post_author' => get_user_by('login', 'author')->ID,
	'post_content' => 'What we sell.',
	'post_status' => 'publish',
	'post_title' => $title,
	'post_type' => $type,
]);
echo json_encode([
	'page' => $made('page', 'About'),
	'passwords' => $passwords,
	'php' => PHP_VERSION,
	'post' => $made('post', 'Shoes'),
	'version' => get_bloginfo('version'),
]);
