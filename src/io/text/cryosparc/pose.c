/* Rotation vectors (Rodrigues vectors) to ZYZ Euler angles and back, through unit quaternions. */
#include "io/text/cryosparc/pose.h"
#include "tessera/constants.h"

#include <math.h>
#include <stdbool.h>

#define DEGREES (180 / TESS_PI)

/* -180 < angle <= 180. */
static double wrapped(double angle)
{
    const double rest = remainder(angle, 360);
    return rest <= -180 ? rest + 360 : rest;
}

void tess__cs_pose_to_euler(double angles[3], const double pose[3])
{
    const double theta = sqrt(pose[0] * pose[0] + pose[1] * pose[1] + pose[2] * pose[2]);
    const double scale = theta > 0 ? sin(theta / 2) / theta : 0.5, w = cos(theta / 2);
    const double x = scale * pose[0], y = scale * pose[1], z = scale * pose[2];
    const double sum = atan2(z, w), difference = atan2(x, y), side = hypot(x, y);
    angles[1] = 2 * atan2(side, hypot(w, z)) * DEGREES;
    const bool is_plane = side < 1e-9; /* a rotation in the plane of the image: rot and psi are one angle */
    angles[0] = is_plane ? 0 : wrapped((sum - difference) * DEGREES);
    angles[2] = wrapped((is_plane ? 2 * sum : sum + difference) * DEGREES);
}

void tess__cs_euler_to_pose(double pose[3], const double angles[3])
{
    const double a = angles[0] / DEGREES / 2, b = angles[1] / DEGREES / 2, g = angles[2] / DEGREES / 2;
    const double q[4] = { cos(b) * cos(a + g), sin(b) * sin(g - a), sin(b) * cos(g - a), cos(b) * sin(a + g) };
    const double sign = q[0] < 0 ? -1 : 1;
    const double side = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double scale = side > 0 ? 2 * atan2(side, sign * q[0]) / side : 2;
    for (int k = 0; k < 3; k++) pose[k] = sign * scale * q[k + 1];
}
