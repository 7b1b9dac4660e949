/**
 * A certificate that nobody vouches for, for localhost and 127.0.0.1, valid for 100 years. It
 * protects nothing: it is what a service with a certificate of its own shows. Made by
 * `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500
 * -subj /CN=localhost -addext "subjectAltName=DNS:localhost,IP:127.0.0.1"`.
 */
export const selfSigned = {
	key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgc6kKm5aPd47pj66Y
4rQUqQ4VN9FR7p7PIx/VUTeFrVShRANCAARcIqLaH905lqHUZvtVhXd2/47bI49n
PLMdKLZQVhFhDdP/p0uWWfdUXF+Ai5VnV4kJI+COz8PKUtTitQsQCJHG
-----END PRIVATE KEY-----`,
	cert: `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUE8IrSLkKyxOPXSx2L+8NdrNY6mAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA5MDEwMFoYDzIxMjYxMDI4
MDkwMTAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARcIqLaH905lqHUZvtVhXd2/47bI49nPLMdKLZQVhFhDdP/p0uWWfdU
XF+Ai5VnV4kJI+COz8PKUtTitQsQCJHGo28wbTAdBgNVHQ4EFgQUrcerNr9yIANE
ptphE7RTzh/mq+gwHwYDVR0jBBgwFoAUrcerNr9yIANEptphE7RTzh/mq+gwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgVuszppJXC6CksIwduxxr+uR2ltKiOeUiQGI7C8KSgC4CIEoX
2c9PjP/KmrHtKdjPkhtoOvFfo33US4mxLugU2Vrm
-----END CERTIFICATE-----`,
};
